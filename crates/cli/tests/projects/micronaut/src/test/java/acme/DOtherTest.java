package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class DOtherTest {
    @Test
    void needsNoContext() {
        assertEquals("2 cents", 2 + " cents");
    }
}
