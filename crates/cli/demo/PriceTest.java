package demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PriceTest {
    @Test
    void pricesAddUp() {
        assertEquals(350, new Price(100).plus(new Price(250)).cents());
    }
}
