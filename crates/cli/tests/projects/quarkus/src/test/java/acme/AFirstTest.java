package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

@QuarkusTest
class AFirstTest {
    @Inject Price price;
    @Inject Stock stock;

    @Test
    void hasAPrice() {
        stock.deliver();
        assertEquals(100, price.cents());
    }
}
