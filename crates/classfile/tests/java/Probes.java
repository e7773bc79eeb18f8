/** What patched code refers to; starts the program that is named. */
public class Probes {
    public static final byte[] hits = new byte[8];

    public static boolean skip() {
        return Boolean.getBoolean("skip");
    }

    public static boolean skip(Object receiver) {
        return false;
    }

    public static void main(String[] args) throws Exception {
        Class.forName(args[0]).getMethod("main", String[].class).invoke(null, (Object) args);
        System.out.println("hits " + hits[7]);
    }
}
