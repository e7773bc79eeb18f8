package acme;

import jakarta.annotation.PostConstruct;
import jakarta.inject.Singleton;

/** Made when it is first asked for, once for a context. */
@Singleton
public class Price {
    private int cents;

    @PostConstruct
    void make() {
        cents = Tariff.base();
    }

    public int cents() {
        return cents;
    }
}
