package demo;

import java.util.ArrayList;
import java.util.List;

/** What a customer is about to buy. */
public final class Basket {
    private final List<Price> items = new ArrayList<>();

    public void add(Price price) {
        items.add(price);
    }

    public Price total() {
        Price total = new Price(0);
        for (Price item : items) {
            total = total.plus(item);
        }
        return total;
    }
}
