package acme;

public class Greeter {
    public String greet(String name) {
        return Words.hello() + " " + name;
    }
}
