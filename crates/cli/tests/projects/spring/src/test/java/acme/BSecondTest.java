package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
class BSecondTest {
    @Autowired ObjectProvider<Discount> discount;
    @Autowired Stock stock;

    @Test
    void hasADiscount() {
        assertEquals(10, discount.getObject().percent());
        assertEquals(List.of("pear"), stock.items());
    }
}
