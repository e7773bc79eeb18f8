package acme;

/** Words. */
class Words {
    static String hello() {
        return "hello";
    }
}
