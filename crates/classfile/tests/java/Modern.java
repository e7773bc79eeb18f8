import java.util.List;

/** What Java got by release 21; prints what it computes. */
public class Modern {
    sealed interface Shape permits Circle, Square, Group {}

    record Circle(double radius) implements Shape {
        Circle {
            if (radius < 0) {
                throw new IllegalArgumentException("radius " + radius);
            }
        }
    }

    record Square(double side) implements Shape {}

    record Group(List<Shape> shapes, String name) implements Shape {}

    static double area(Shape shape) {
        return switch (shape) {
            case Circle(var radius) when radius == 0 -> 0;
            case Circle c -> 3 * c.radius() * c.radius();
            case Square(double side) -> side * side;
            case Group(var shapes, String name) -> {
                double sum = 0;
                for (var inner : shapes) {
                    sum += area(inner);
                }
                yield sum;
            }
        };
    }

    static String describe(Object value) {
        if (!(value instanceof String text) || text.isEmpty()) {
            return """
                nothing
                  here""";
        }
        return switch (text.length()) {
            case 1, 2 -> "short " + text;
            default -> "long " + text + switch (text.charAt(0)) { case 'a' -> 1; default -> 2; };
        };
    }

    class Member {
        private int secret = 3;
    }

    public static void main(String[] args) {
        var group = new Group(List.of(new Circle(2), new Square(1.5), new Circle(0)), "g");
        System.out.println(area(group) + " " + group + " " + group.equals(new Group(List.of(), "g")));
        System.out.println(describe("abc") + describe("x") + describe(4) + new Modern().new Member().secret);
        try {
            new Circle(-1);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
    }
}
