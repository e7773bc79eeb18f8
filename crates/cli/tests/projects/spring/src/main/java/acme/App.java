package acme;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

@SpringBootApplication
public class App {
    @Bean
    Price price() {
        return new Price(Tariff.base());
    }

    @Bean
    @Lazy
    Discount discount() {
        return new Discount(Tariff.discount());
    }
}
