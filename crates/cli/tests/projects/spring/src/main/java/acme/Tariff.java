package acme;

class Tariff {
    static int base() {
        return 100;
    }

    static int discount() {
        return 10;
    }
}
