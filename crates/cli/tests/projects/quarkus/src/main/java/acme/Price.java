package acme;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Made when it is first asked for, once for the application. */
@ApplicationScoped
public class Price {
    @ConfigProperty(name = "shop.name") String shop;
    private int cents;

    @PostConstruct
    void make() {
        cents = Tariff.base();
    }

    public int cents() {
        return cents;
    }

    public String shop() {
        return shop;
    }
}
