package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
class AFirstTest {
    @Autowired Price price;
    @Autowired ObjectProvider<Discount> discount;
    @Autowired Stock stock;

    @Test
    void hasAPrice() {
        assertEquals(100, price.cents());
        assertEquals(10, discount.getObject().percent());
        stock.deliver();
    }
}
