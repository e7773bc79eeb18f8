package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

public class CalculatorTest {
    @Test
    public void adds() {
        assertEquals(3, new Calculator().add(1, 2));
    }
}
