package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

@QuarkusTest
class CThirdTest {
    @Inject Price price;

    @Test
    void isInAShop() {
        assertEquals("Corner", price.shop());
    }
}
