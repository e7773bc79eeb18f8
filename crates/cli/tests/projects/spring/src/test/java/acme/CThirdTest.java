package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
class CThirdTest {
    @Autowired Price price;
    @Value("${shop.name}") String shop;

    @Test
    void hasAShop() {
        assertEquals(100, price.cents());
        assertEquals("Corner", shop);
    }
}
