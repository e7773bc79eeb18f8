package demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class BasketTest {
    @Test
    void theTotalIsTheSumOfAllItems() {
        Basket basket = new Basket();
        basket.add(new Price(100));
        basket.add(new Price(20));
        assertEquals(120, basket.total().cents());
    }
}
