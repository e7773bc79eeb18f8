package demo;

/** Where a parcel goes. */
public final class Address {
    private final String country;

    public Address(String country) {
        this.country = country;
    }

    public boolean isAbroad() {
        return !country.equals("FR");
    }
}
