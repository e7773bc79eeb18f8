package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.stereotype.Service;

/** Its context has the same components as the first one, and is not shared. */
@SpringBootTest(properties = "shop.opens=later")
class ECountTest {
    @Autowired ApplicationContext context;

    @Test
    void countsServices() {
        assertEquals(Set.of("stock"), context.getBeansWithAnnotation(Service.class).keySet());
    }
}
