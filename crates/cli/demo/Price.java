package demo;

/** An amount of money in cents. */
public final class Price {
    private final int cents;

    public Price(int cents) {
        this.cents = cents;
    }

    public int cents() {
        return cents;
    }

    public Price plus(Price other) {
        return new Price(cents + other.cents);
    }
}
