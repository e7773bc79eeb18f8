package everything;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** Has every attribute that the compiler writes. */
@Deprecated
@Everything.Seen(text = "a", number = 1, nested = @Everything.Inner(3), list = {"x", "y"})
@Everything.Unseen("b")
public class Everything<T extends Comparable<T>> {
    public static final int INT = 12;
    public static final long LONG = 1L << 40;
    public static final float FLOAT = 1.5f;
    public static final double DOUBLE = Math.PI;
    public static final String TEXT = "text \u20ac";
    @Everything.Seen(type = Map.class, color = Color.RED) private List<T> list = new ArrayList<>();
    private @OnType("field") Map<@OnType("key") String, @Hidden int[]> map;

    @Retention(RetentionPolicy.RUNTIME)
    public @interface Seen {
        String text() default "default";
        int number() default 7;
        Inner nested() default @Inner(1);
        String[] list() default {};
        Class<?> type() default int[].class;
        Color color() default Color.GREEN;
    }

    @Retention(RetentionPolicy.RUNTIME)
    public @interface Inner {
        byte value();
    }

    public @interface Unseen {
        String value() default "";
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE_USE)
    public @interface OnType {
        String value();
    }

    @Target(ElementType.TYPE_USE)
    public @interface Hidden {}

    public enum Color { RED, GREEN, BLUE { @Override public String toString() { return "b"; } } }

    public sealed interface Shape permits Circle, Square {}

    public record Circle(@Seen double radius, List<@OnType("component") String> names)
            implements Shape {
        public Circle {
            if (radius < 0) throw new IllegalArgumentException("radius " + radius + "!");
        }
    }

    public static final class Square implements Shape {}

    public Everything() throws IOException, IllegalStateException {}

    public <X extends Exception> T generic(
            @Seen @Unseen T first, final @OnType("parameter") int second) throws X {
        return first;
    }

    @Deprecated
    public static Object code(Object given, int number, List<String> names) {
        for (int i = 0; i < number; i++) {
            try {
                switch (i) {
                    case 1: case 2: case 3: names.add("small" + i); break;
                    case 1000: case 100000: names.add("large"); break;
                    default: names.remove(given);
                }
                switch (names.get(i)) {
                    case "one" -> number++;
                    case "two" -> number += 1000;
                    default -> number *= i;
                }
            } catch (IndexOutOfBoundsException | NullPointerException e) {
                @OnType("local") String message = e.getMessage();
                names.add(message + i + '\u0001');
            } finally {
                number += 40000;
            }
        }
        synchronized (given) {
            if (given instanceof String text && text.length() > 2.5) return text.length() * 3L;
        }
        return given == null ? new int[number][2] : new Object[] {Everything.class, int.class};
    }

    public Supplier<Runnable> lambdas(Function<String, Integer> function) {
        class Local {
            int value = function.apply("x");
        }
        Function<String, Integer> parse = Integer::parseInt;
        return () -> () -> System.out.println(new Local().value + parse.apply(TEXT) + 3.5f);
    }

    public Object anonymous() {
        return new Object() {
            @Override
            public String toString() {
                return "anonymous " + list.size() + map;
            }
        };
    }
}
