import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.util.HashMap;
import java.util.Map;

/**
 * Loads each class of an archive, which comes in, on its own into the company of others, and says on a line what became
 * of it: that it links, that it is initialized, or what a static method of some class returns then.
 *
 * <p>The archive has a number of classes (each a name and bytes), which keep company; then what is judged:
 * a name, the wish, bytes.
 */
public class Judge {
    static final Map<String, byte[]> COMPANY = new HashMap<>();

    public static void main(String[] args) throws Exception {
        var archive = new BufferedInputStream(System.in, 1 << 20);
        var out = new StringBuilder();
        try (var in = new DataInputStream(archive)) {
            for (int left = in.readInt(); left > 0; left--) {
                COMPANY.put(in.readUTF(), in.readNBytes(in.readInt()));
            }
            for (int left = in.readInt(); left > 0; left--) {
                var name = in.readUTF();
                var wish = in.readUTF();
                var loader = new Loader(name, in.readNBytes(in.readInt()));
                out.append(loader.judge(wish).replaceAll("\\s+", " ")).append('\n');
            }
        }
        System.out.print(out);
        System.out.flush();
        Runtime.getRuntime().halt(0); // whatever threads the classes may have started
    }

    static final class Loader extends ClassLoader {
        final String name;
        final byte[] bytes;

        Loader(String name, byte[] bytes) {
            super(ClassLoader.getPlatformClassLoader());
            this.name = name;
            this.bytes = bytes;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                var loaded = findLoadedClass(name);
                var found = name.equals(this.name) ? bytes : COMPANY.get(name);
                if (loaded == null && found != null) {
                    loaded = defineClass(name, found, 0, found.length);
                }
                return loaded != null ? loaded : super.loadClass(name, resolve);
            }
        }

        /** Some mutants never end. */
        String judge(String wish) throws InterruptedException {
            var answer = new String[] {"never ends"};
            var thread = new Thread(() -> answer[0] = tried(wish));
            thread.setDaemon(true);
            thread.start();
            thread.join(10_000);
            return answer[0];
        }

        String tried(String wish) {
            try {
                // Links, and so verifies, without initializing.
                var judged = Class.forName(name, false, this);
                judged.getDeclaredMethods();
                if (wish.equals("link")) {
                    return "links";
                }
                if (wish.equals("initialize")) {
                    return initialize();
                }
                var run = Class.forName(wish, true, this).getDeclaredMethod("run");
                run.setAccessible(true);
                return "returns " + run.invoke(null);
            } catch (java.lang.reflect.InvocationTargetException e) {
                return "throws " + e.getCause();
            } catch (Throwable e) {
                return String.valueOf(e);
            }
        }

        String initialize() throws ClassNotFoundException {
            try {
                Class.forName(name, true, this);
                return "initializes";
            } catch (VerifyError | ClassFormatError e) {
                return String.valueOf(e);
            } catch (LinkageError e) {
                return "throws " + e;
            }
        }
    }
}
