package acme;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;

/** A bean with state of its own, which lives as long as the application. */
@ApplicationScoped
public class Stock {
    private final List<String> items = new ArrayList<>();

    public void deliver() {
        items.add(Supplier.item());
    }

    public List<String> items() {
        return items;
    }
}
