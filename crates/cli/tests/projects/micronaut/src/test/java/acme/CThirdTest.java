package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.micronaut.test.extensions.junit5.annotation.MicronautTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

@MicronautTest
class CThirdTest {
    @Inject Price price;

    @Test
    void isInAShop() {
        assertEquals("Corner", price.shop());
    }
}
