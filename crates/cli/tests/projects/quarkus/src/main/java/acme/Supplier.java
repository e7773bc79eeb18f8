package acme;

class Supplier {
    static String item() {
        return "pear";
    }
}
