package demo;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class AddressTest {
    /** Stands for all the tests that one would rather not wait for. */
    @Test
    void anotherCountryIsAbroad() throws InterruptedException {
        Thread.sleep(400);
        assertTrue(new Address("DE").isAbroad());
    }
}
