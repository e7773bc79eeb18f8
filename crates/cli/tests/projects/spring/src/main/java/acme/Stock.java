package acme;

import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Service;

/** A service with state of its own. */
@Service
public class Stock {
    private final List<String> items = new ArrayList<>();

    public void deliver() {
        items.add(Supplier.item());
    }

    public List<String> items() {
        return items;
    }
}
