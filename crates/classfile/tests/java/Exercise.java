import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Java 8 source with all that names positions in code; prints what it computes. */
public class Exercise {
    @Target({ElementType.TYPE_USE, ElementType.TYPE_PARAMETER})
    @Retention(RetentionPolicy.RUNTIME)
    @interface Mark {
        String value() default "";

        Class<?>[] types() default {};

        Inner[] inner() default {};
    }

    @interface Inner {
        int[] value();

        RetentionPolicy policy() default RetentionPolicy.CLASS;
    }

    enum Colour {
        RED, GREEN, BLUE
    }

    interface Shape {
        List<String> NAMES = names();

        static List<String> names() {
            return new ArrayList<>();
        }

        default String name() {
            NAMES.add(getClass().getSimpleName());
            return String.valueOf(NAMES);
        }
    }

    static class Point implements Shape {
        final int x;
        final String text;

        Point(int x, String text) {
            this.x = x;
            this.text = text;
        }
    }

    static int left = 5;
    static final int[] TABLE;

    static {
        int[] table = new int[10];
        for (int i = 0; i < table.length; i++) {
            try {
                table[i] = 100 / (i % 3);
            } catch (ArithmeticException e) {
                table[i] = -1;
            }
        }
        TABLE = table;
    }

    /** Its first instruction is the target of a branch. */
    static void countDown() {
        while (left > 0) {
            left--;
        }
    }

    static void endless() {
        for (;;) {
            if (left++ > 100) {
                throw new IllegalStateException("left " + left);
            }
        }
    }

    /** An uninitialized object is on the stack at a branch. */
    static Point point(boolean big, Object text) {
        return new Point(big ? 1000 : 1, text instanceof String ? (String) text : new String(new char[] {big ? 'b' : 's'}));
    }

    static String choose(int number, Colour colour, String text) {
        String result = "";
        switch (number) {
            case 0: result += "zero"; break;
            case 1: result += "one";
            case 2: result += "two"; break;
            default: result += "many";
        }
        switch (number) {
            case -1000000: result += "-"; break;
            case 1000000: result += "+"; break;
            default: result += ".";
        }
        switch (colour) {
            case RED: result += "r"; break;
            case BLUE: result += "b"; break;
            default: break;
        }
        switch (text) {
            case "Aa": case "BB": return result + "same hash";
            default: return result;
        }
    }

    synchronized int guarded(List<? extends Number> numbers) {
        int sum = 0;
        try {
            for (Number number : numbers) {
                synchronized (number) {
                    sum += number.intValue();
                }
            }
        } finally {
            sum *= 2;
        }
        return sum;
    }

    static <@Mark("parameter") T> String annotated(Object value) throws Exception {
        @Mark("local") String text = "text";
        List<@Mark("argument") String> list = new @Mark("new") ArrayList<@Mark("diamond") String>();
        if (value instanceof @Mark("instanceof") String) {
            @Mark(value = "cast", types = {int.class, String[].class}, inner = @Inner({1, 2})) String cast = (@Mark("cast") String) value;
            list.add(cast);
        }
        Supplier<List<String>> supplier = @Mark("reference") ArrayList<@Mark("type") String>::new;
        try (AutoCloseable closeable = () -> list.add("closed")) {
            list.add(text + Exercise.<@Mark("call") String>generic(text));
        } catch (@Mark("catch") IllegalStateException | IllegalArgumentException e) {
            list.add(e.getMessage());
        }
        return list + "" + supplier.get();
    }

    static <T> T generic(T value) {
        Function<@Mark("lambda") T, T> same = (@Mark("formal") T x) -> x;
        return same.apply(value);
    }

    static long wide(long a, double b, int... rest) {
        long result = 0;
        outer:
        for (int i = 0; i < rest.length; i++) {
            for (int j = i; ; j++) {
                if (j >= rest.length) {
                    continue outer;
                }
                if (rest[j] < 0) {
                    break outer;
                }
                result += a * rest[j] + (long) (b > 0 ? b : -b);
                assert result != 77;
            }
        }
        return result;
    }

    void nothing() {}

    public static void main(String[] args) throws Exception {
        StringBuilder out = new StringBuilder();
        countDown();
        out.append(left).append('\n');
        try {
            endless();
        } catch (IllegalStateException e) {
            out.append(e.getMessage()).append('\n');
        }
        for (int value : TABLE) {
            out.append(value).append(' ');
        }
        for (Object text : new Object[] {"given", null}) {
            Point point = point(text == null, text);
            out.append(point.x).append(point.text).append(point.name()).append('\n');
        }
        for (int i = -1; i < 4; i++) {
            out.append(choose(i, Colour.values()[(i + 3) % 3], i == 2 ? "BB" : "")).append('\n');
        }
        List<Integer> numbers = new ArrayList<>();
        numbers.add(20);
        numbers.add(1);
        Exercise exercise = new Exercise();
        exercise.nothing();
        out.append(exercise.guarded(numbers)).append('\n');
        out.append(annotated("x")).append(annotated(7)).append('\n');
        out.append(wide(3, -2.5, 1, 2, 3, -1, 4)).append('\n');
        System.out.print(out);
    }
}
