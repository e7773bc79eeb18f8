package acme;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class PlainTest {
    @Test
    public void parses() {
        assertEquals(1, Integer.parseInt("1"));
    }
}
