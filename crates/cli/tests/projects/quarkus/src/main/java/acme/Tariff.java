package acme;

class Tariff {
    static int base() {
        return 100;
    }
}
