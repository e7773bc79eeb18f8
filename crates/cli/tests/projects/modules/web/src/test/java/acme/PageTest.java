package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

public class PageTest {
    @Test
    public void showsTheSum() {
        assertEquals("sum 3", new Page().title(1, 2));
    }
}
