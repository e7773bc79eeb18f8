package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

public class PlainTest {
    @Test
    public void parses() {
        assertEquals(1, Integer.parseInt("1"));
    }
}
