import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Loads and links classes and their patched forms; what linked before must link after. */
public class LoadPairs {
    static int failures;

    public static void main(String[] archives) throws Exception {
        for (var archive : archives) {
            check(Pair.read(archive));
        }
        System.exit(failures == 0 ? 0 : 1);
    }

    static void check(List<Pair> pairs) {
        var before = new Loader();
        var after = new Loader();
        for (var pair : pairs) {
            before.classes.put(name(pair), pair.original());
            after.classes.put(name(pair), pair.patched());
        }
        int linked = 0;
        for (var name : before.classes.keySet()) {
            var expected = before.link(name);
            var actual = after.link(name);
            if (!expected.equals(actual) && failures++ < 20) {
                System.out.println(name + ": before " + expected + ", after " + actual);
            }
            linked += actual.equals("linked") ? 1 : 0;
        }
        System.out.printf("%d classes, %d linked, %d failures%n", pairs.size(), linked, failures);
    }

    static String name(Pair pair) {
        return pair.file().replaceAll("\\.class$", "").replace('/', '.');
    }

    static final class Loader extends ClassLoader {
        final Map<String, byte[]> classes = new HashMap<>();

        Loader() {
            super(ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                var loaded = findLoadedClass(name);
                if (loaded == null && classes.containsKey(name)) {
                    var bytes = classes.get(name);
                    loaded = defineClass(name, bytes, 0, bytes.length);
                }
                return loaded != null ? loaded : super.loadClass(name, resolve);
            }
        }

        String link(String name) {
            try {
                // Links, and so verifies, without initializing.
                Class.forName(name, false, this).getDeclaredMethods();
                return "linked";
            } catch (VerifyError | ClassFormatError e) {
                return String.valueOf(e).replaceAll("(?s)\n.*", "").replaceAll("\\d+", "#");
            } catch (LinkageError | ClassNotFoundException | SecurityException e) {
                return String.valueOf(e).replaceAll("@0x[0-9a-f]+", "");
            }
        }
    }
}
