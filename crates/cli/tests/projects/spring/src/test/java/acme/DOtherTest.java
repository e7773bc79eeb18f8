package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;

/** It has a context of its own, without the application. */
@SpringBootTest(classes = DOtherTest.Own.class)
class DOtherTest {
    static class Own {
        @Bean
        String greeting() {
            return "hello";
        }
    }

    @Autowired String greeting;

    @Test
    void greets() {
        assertEquals("hello", greeting);
    }
}
