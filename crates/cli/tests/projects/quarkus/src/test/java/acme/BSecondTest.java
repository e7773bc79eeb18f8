package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import org.junit.jupiter.api.Test;

@QuarkusTest
class BSecondTest {
    @Inject Price price;
    @Inject Stock stock;

    @Test
    void hasAPriceAndStock() {
        assertEquals(100, price.cents());
        assertEquals(List.of("pear"), stock.items());
    }
}
