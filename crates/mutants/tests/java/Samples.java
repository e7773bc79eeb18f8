import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** What the runs of all samples put out is joined here, out of reach of operators. */
final class Results {
    static String join(Object... results) {
        return Arrays.toString(results);
    }
}

class ConditionalBoundary {
    static boolean below(int a, int b) {
        return a < b;
    }

    static String sign(long value) {
        if (value > 0) {
            return "positive";
        }
        return value >= -5 ? "small" : "negative";
    }

    static int upTo(int end) {
        int sum = 0;
        for (int i = 1; i <= end; i++) {
            sum += i;
        }
        return sum;
    }

    static String run() {
        return Results.join(below(1, 1), sign(0), sign(-5), upTo(3));
    }
}

class NegatedConditional {
    static String kind(Object value) {
        if (value == null) {
            return "nothing";
        }
        if (value != NegatedConditional.class && value instanceof String) {
            return "text";
        }
        return "thing";
    }

    static boolean isOdd(int value) {
        return value % 2 != 0;
    }

    static boolean isCold(double degrees) {
        return degrees < 5.5;
    }

    static String run() {
        return Results.join(kind(null), kind("a"), kind(1), kind(NegatedConditional.class), isOdd(3), isCold(1));
    }
}

class Arithmetic {
    static int ints(int a, int b) {
        return ((a + b) * (a - b)) / (a % b);
    }

    static long longs(long a, long b) {
        return ((a + b) * (a - b)) / (a % b);
    }

    static float floats(float a, float b) {
        return ((a + b) * (a - b)) / (a % b);
    }

    static double doubles(double a, double b) {
        return ((a + b) * (a - b)) / (a % b);
    }

    static String bits(int a, int b) {
        int left = a << 3;
        int right = a >> 1;
        int unsigned = -a >>> 2;
        int both = a & b;
        int either = a | b;
        int differing = a ^ b;
        return Results.join(left, right, unsigned, both, either, differing);
    }

    static String longBits(long a, long b) {
        long left = a << 3;
        long right = a >> 1;
        long unsigned = -a >>> 2;
        long both = a & b;
        long either = a | b;
        long differing = a ^ b;
        return Results.join(left, right, unsigned, both, either, differing);
    }

    static String run() {
        return Results.join(ints(7, 4), longs(7, 4), floats(7, 4), doubles(7, 4), bits(13, 6), longBits(13, 6));
    }
}

class Increment {
    static int next(int value) {
        value++;
        value += 1000;
        value -= 7;
        return value;
    }

    static String run() {
        return Results.join(next(5));
    }
}

class RemovedNegation {
    static double all(int a, long b, float c, double d) {
        return -a + 10 * -b + 100 * -c + 1000 * -d;
    }

    static String run() {
        return Results.join(all(1, 2, 3, 4));
    }
}

class InsertedNegation {
    static int anInt(int value) {
        return value;
    }

    static long aLong(long value) {
        return value;
    }

    static float aFloat(float value) {
        return value;
    }

    static double aDouble(double value) {
        return value;
    }

    static boolean notThis(boolean value) {
        return value;
    }

    static int norThat() {
        return 3;
    }

    static String run() {
        return Results.join(anInt(1), aLong(2), aFloat(3), aDouble(4));
    }
}

class Constant {
    static final List<Object> OUT = new ArrayList<>();

    static void ints() {
        OUT.add(-1);
        OUT.add(0);
        OUT.add(1);
        OUT.add(2);
        OUT.add(5);
        OUT.add(6);
        OUT.add(127);
        OUT.add(128);
        OUT.add(32767);
        OUT.add(32768);
        OUT.add(Integer.MAX_VALUE);
    }

    static void longs() {
        OUT.add(0L);
        OUT.add(1L);
        OUT.add(2L);
        OUT.add(Long.MAX_VALUE);
    }

    static void floats() {
        OUT.add(0f);
        OUT.add(1f);
        OUT.add(2f);
        OUT.add(3.5f);
        OUT.add(1e30f);
    }

    static void doubles() {
        OUT.add(0d);
        OUT.add(1d);
        OUT.add(2d);
        OUT.add(-1d);
        OUT.add(Double.NaN);
    }

    static boolean truth() {
        return true;
    }

    static String run() {
        ints();
        longs();
        floats();
        doubles();
        return OUT + "" + truth();
    }
}

class StringConstant {
    static String greeting() {
        return "Grüße, \"you\"";
    }

    static String nothing() {
        return "";
    }

    static int number(String digit) {
        switch (digit) {
            case "one":
                return 1;
            default:
                return 0;
        }
    }

    static String run() {
        return greeting() + nothing() + number("one");
    }
}

class ReturnValue {
    static boolean isEven(int value) {
        return (value & 1) == 0;
    }

    static long twice(long value) {
        return value * 2;
    }

    static double half(double value) {
        return value / 2;
    }

    static char upper(char value) {
        return Character.toUpperCase(value);
    }

    static Object same(Object value) {
        return value;
    }

    static Object choose(boolean really) {
        return really ? "chosen" : null;
    }

    static Object notThis() {
        return null;
    }

    static boolean norThat() {
        return true;
    }

    static String run() {
        return Results.join(isEven(2), isEven(3), twice(4), half(5), upper('a'), same("b"), choose(true), notThis());
    }
}

class RemovedCall {
    private final StringBuilder log = new StringBuilder();

    void note(String what, long when, double much) {
        log.append(what).append(when).append(much);
    }

    static void tell(RemovedCall to) {
        to.note("told", 1L, 2.0);
    }

    void close() {
        log.append("closed");
    }

    static String run() {
        RemovedCall call = new RemovedCall();
        call.note("noted", 3L, 4.0);
        tell(call);
        Runnable close = call::close;
        close.run();
        return call.log.toString();
    }
}

class CallResult {
    static int length(CharSequence text) {
        return text.length();
    }

    static String shout(String text, long times) {
        return text.toUpperCase().repeat((int) times) + Math.abs(-2.5f) + Math.max(times, 1L);
    }

    static boolean isEmpty(String text) {
        return text.isEmpty();
    }

    static int twice(int value) {
        IntUnaryOperator operator = x -> Math.multiplyExact(x, 2);
        return operator.applyAsInt(value);
    }

    static String run() {
        return Results.join(length("abc"), shout("a", 3), isEmpty(""), twice(4));
    }
}

class RemovedOverride {
    abstract static class Shape implements Comparable<Shape> {
        protected double area() {
            return -1;
        }

        public final double twice() {
            return 2 * area();
        }

        abstract String name();

        @Override
        public int compareTo(Shape other) {
            return Double.compare(area(), other.area());
        }
    }

    static class Square extends Shape {
        @Override
        protected double area() {
            return 4;
        }

        @Override
        String name() {
            return "not this, which is neither public nor protected";
        }

        public boolean isRegular() {
            return true;
        }

        @Override
        public String toString() {
            return "square";
        }
    }

    static class Alone {
        public int notThis() {
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Alone;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    static String run() {
        Square square = new Square();
        return Results.join(square, square.area(), square.isRegular(), square.compareTo(new Square()),
            new Alone().equals(new Alone()), new Alone().hashCode());
    }
}

class FieldInitializer {
    static final String CONSTANT = "inlined";
    static final long START = Long.parseLong("17");
    static String name;

    static {
        name = String.valueOf("named");
    }

    private final double size;
    private final int[] parts = {1, 2};
    private boolean open = !CONSTANT.isEmpty();
    private int later = 0;

    FieldInitializer(double size) {
        this.size = size;
    }

    void notThis(int value) {
        later = value;
    }

    static String run() {
        FieldInitializer it = new FieldInitializer(2.5);
        it.notThis(3);
        return Results.join(START, name, it.size, it.parts == null, it.open, it.later);
    }
}

interface Greeter {
    default String greet() {
        return "hello";
    }
}

interface Counter {
    default int count() {
        return 3;
    }
}

class DroppedInterface implements Runnable, java.io.Serializable, Greeter, Counter {
    @Override
    public void run() {}

    @Override
    public int count() {
        return 1 + Counter.super.count();
    }

    static String run(Runnable runnable, Greeter greeter) {
        runnable.run();
        return greeter.greet();
    }

    static class Sample {
        static String run() {
            DroppedInterface it = new DroppedInterface();
            return DroppedInterface.run(it, it) + it.count();
        }
    }
}

/** Has nothing that is to be mutated but what its comments say. */
class Generated {
    enum Color {
        RED,
        GREEN
    }

    class Inner {}

    interface Source<T> {
        T get();
    }

    static class Texts implements Source<String> {
        @Override
        public String get() { // removed, returns null
            return Generated.text;
        }
    }

    static String text;

    static void check(int value) {
        assert value > 3; // the comparison, not the question whether assertions are on
    }

    static Object choose(Color color) {
        switch (color) { // the call of ordinal, not the class that maps what it returns
            case RED:
                return Generated.text; // what is returned
            default:
                return null;
        }
    }

    static int choose(String key) {
        switch (key) { // equals and the label, not the hash code
            case "a":
                return 7; // the number
        }
        return text.length(); // the call, what is returned
    }
}
