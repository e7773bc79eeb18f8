package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.micronaut.test.extensions.junit5.annotation.MicronautTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

@MicronautTest
class BSecondTest {
    @Inject Price price;

    @Test
    void hasAPrice() {
        assertEquals(100, price.cents());
    }
}
