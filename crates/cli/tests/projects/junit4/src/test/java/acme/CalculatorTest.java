package acme;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CalculatorTest {
    @Test
    public void adds() {
        assertEquals(3, new Calculator().add(1, 2));
    }
}
