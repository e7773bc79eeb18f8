package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

public class GreeterTest {
    @Test
    public void greets() {
        assertEquals("hello ann", new Greeter().greet("ann"));
    }
}
