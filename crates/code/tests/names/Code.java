package p;

import java.io.*;
import java.lang.invoke.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.concurrent.atomic.*;
import java.util.function.*;

class A {
    volatile int field;
    class Inner {}
    static Object make() { return null; }
}

class Helper {
    static Object text(String name) { return null; }
    static Object two(long first, String name, Class<?> type) { return null; }
    static Object many(Object... all) { return null; }
    static Object sequence(CharSequence text) { return null; }
    static Object number(int number) { return null; }
    Helper(String name) {}
    Object own(String name) { return null; }
}

class Code {
    static final String CONSTANT = "p.Constant";
    static String unknown = System.getProperty("x");
    String field = "p.Field";

    // Each API.
    void forName() throws Exception { Class.forName("p.A"); }
    void forNameInLoader(ClassLoader loader) throws Exception { Class.forName("p.A", true, loader); }
    void loadClass(ClassLoader loader) throws Exception { loader.loadClass("p.A"); }
    void method() throws Exception { A.class.getMethod("m", int.class, String.class); }
    void declaredMethod() throws Exception { A.class.getDeclaredMethod("m"); }
    void publicField() throws Exception { A.class.getField("f"); }
    void declaredField() throws Exception { A.class.getDeclaredField("f"); }
    void constructor() throws Exception { A.class.getConstructor(int.class); }
    void declaredConstructor() throws Exception { A.class.getDeclaredConstructor(); }
    @SuppressWarnings("deprecation") void newInstance() throws Exception { A.class.newInstance(); }
    void allMethods() { A.class.getDeclaredMethods(); }
    void handles(MethodHandles.Lookup lookup, MethodType type) throws Exception {
        lookup.findVirtual(A.class, "v", type);
        lookup.findStatic(A.class, "s", type);
        lookup.findConstructor(A.class, type);
        lookup.findGetter(A.class, "g", int.class);
        lookup.findStaticSetter(A.class, "t", int.class);
        lookup.findSpecial(A.class, "p", type, Code.class);
        lookup.bind(this, "b", type);
    }
    void service() { ServiceLoader.load(A.class); }
    void serviceInLoader(ClassLoader loader) { ServiceLoader.load(A.class, loader); }
    void bundle() { ResourceBundle.getBundle("p.Messages"); }
    void updater() { AtomicIntegerFieldUpdater.newUpdater(A.class, "field"); }
    void resources(ClassLoader loader) throws Exception {
        A.class.getResource("a.txt");
        A.class.getResourceAsStream("/b.txt");
        loader.getResources("c.txt");
        ClassLoader.getSystemResource("d.txt");
    }
    void reference(List<String> names, Function<String, URLs> f) {
        Function<String, Object> g = Code.class.getClassLoader()::getResource;
    }

    // Where values come from.
    void local() throws Exception { String name = "p.A"; int i = 0; Class.forName(name); }
    void constant() throws Exception { Class.forName(CONSTANT); }
    void branches(boolean b) throws Exception {
        String name;
        if (b) { name = "p.A"; } else { name = "p.B"; }
        Class.forName(name);
    }
    void ternary(boolean b) throws Exception { (b ? A.class : Class.forName("p.B")).getMethod(b ? "m" : "n"); }
    void choice(int i) throws Exception {
        String name = null;
        switch (i) { case 1: name = "a"; break; case 2: name = "b"; break; case 900: name = "c"; }
        A.class.getMethod(name);
    }
    void stringChoice(String s) throws Exception {
        switch (s) { case "x": s = "a"; break; default: s = "b"; }
        A.class.getMethod(s);
    }
    void loop(int n) throws Exception {
        String name = "a";
        for (int i = 0; i < n; i++) { A.class.getMethod(name); name = "b"; }
    }
    void longLoop(int n) throws Exception {
        String name = "a";
        while (n-- > 0) { name = name + "b"; }
        A.class.getMethod(name);
    }
    void list() throws Exception {
        for (String name : new String[] {"a", "b"}) { A.class.getMethod(name); }
    }
    void element() throws Exception {
        String[] names = {"a", "b"};
        A.class.getMethod(names[1]);
        names[1] = "c";
        A.class.getMethod(names[1]);
        Helper.many((Object[]) names);
        A.class.getMethod(names[1]);
    }
    void nine(int i) throws Exception {
        String name = "0";
        switch (i) {
            case 1: name = "1"; break; case 2: name = "2"; break; case 3: name = "3"; break; case 4: name = "4"; break;
            case 5: name = "5"; break; case 6: name = "6"; break; case 7: name = "7"; break; case 8: name = "8"; break;
        }
        A.class.getMethod(name);
    }
    void parameter(long wide, String name, Class<?> type) throws Exception {
        Class.forName(name).getMethod(type.getName());
        type.getDeclaredField(name.toString());
    }
    static void staticParameter(Object name) throws Exception { Class.forName((String) name); }
    void elementOfParameter(String... names) throws Exception {
        A.class.getMethod(names[0]);
        for (String name : names) { A.class.getMethod(name); }
        names[0] = "x";
        A.class.getMethod(names[0]);
        Helper.many((Object[]) names);
        A.class.getMethod(names[0]);
    }
    void changedParameter(boolean b, String name) throws Exception {
        if (b) { name = "x"; }
        A.class.getMethod(name);
    }
    void concatenated(String name, boolean b) throws Exception {
        String start = b ? "get" : "set";
        String end = "Name";
        A.class.getMethod(start + end);
        A.class.getMethod(start.concat(end));
        A.class.getMethod(start + 'x' + 1 + end + CONSTANT + b);
        A.class.getMethod(start + 'x' + 1 + end);
        A.class.getMethod("" + name);
        A.class.getMethod("x" + name);
    }
    void built(boolean b) throws Exception {
        StringBuilder builder = new StringBuilder("p");
        builder.append('.').append("A");
        if (b) { builder.append("$Inner"); }
        Class.forName(builder.toString());
        builder.setLength(0);
        Class.forName(builder.toString());
        StringBuffer buffer = new StringBuffer();
        buffer.append("p.").append(1).append(new StringBuilder("x"));
        Class.forName(buffer.toString());
        Helper.sequence(buffer);
        Class.forName(buffer.toString());
    }
    void builtInLoop(int n) throws Exception {
        for (int i = 0; i < n; i++) {
            StringBuilder builder = new StringBuilder();
            builder.append("p.A");
            Class.forName(builder.toString());
        }
    }
    void textOfClass() throws Exception {
        Class.forName(A.class.getName() + "$Inner");
        Class.forName(A.class.getPackage().getName() + ".B");
        Class.forName(A.Inner.class.getCanonicalName());
        A.class.getMethod("make" + A.Inner.class.getSimpleName());
        Class.forName("p/A".replace('/', '.'));
        Class.forName(" p.A ".trim().intern());
        Class.forName(String.format("%s.%s", "p", A.class.getSimpleName()));
        Class.forName(String.format("%s.%d", "p", 1));
        Class.forName(String.join(".", "p", "q", "A"));
        Class.forName("Lp.A;".substring(1, 4));
        Class.forName(String.valueOf("p.A"));
        Class.forName(Objects.requireNonNull("p.A", "no name"));
        Class.forName("x" + A.class);
    }
    void unknownSources(Map<String, String> map) throws Exception {
        Class.forName(unknown);
        Class.forName(field);
        Class.forName(map.get("p.A"));
        Class.forName(System.getProperty("p.A", "p.B"));
        getClass().getMethod("m");
        Class.forName("p." + unknown);
    }
    void handlers() throws Exception {
        String name = "before";
        try {
            name = "first";
            A.make();
            name = "second";
            A.make();
            name = "last";
        } catch (RuntimeException e) {
            A.class.getMethod(name);
        }
        A.class.getMethod(name);
    }
    void finallyBlock() throws Exception {
        String name = "a";
        try { name = "b"; A.make(); name = "c"; } finally { A.class.getMethod(name); }
    }
    void arrayInHandler() throws Exception {
        String[] names = {"a"};
        try { Helper.many((Object[]) names); } catch (RuntimeException e) { A.class.getMethod(names[0]); }
    }
    void wide(int i) throws Exception {
        LOCALS
        String name = "p.A";
        double after = 2;
        i += 1000;
        Class.forName(name);
    }

    // What is passed on.
    void passes(String given) {
        Helper.text("p.A");
        Helper.two(1L, given, A.class);
        Helper.many("a", A.class);
        Helper.sequence(new StringBuilder("a").append("b"));
        Helper.number(1);
        new Helper("c").own(null);
        String.valueOf("none");
    }
    void passesUnknown(String given) { Helper.text("a"); Helper.text(unknown); Helper.many("a", 1); }
    void passesSeveral(boolean b) { Helper.text("a"); Helper.text(b ? "b" : "c"); }
    void passesAndChanges() {
        StringBuilder builder = new StringBuilder("a");
        Helper.sequence(builder);
        builder.append("b");
    }
    void passesAndChangesLater(int n) {
        StringBuilder last = null;
        while (n-- > 0) {
            StringBuilder builder = new StringBuilder("a");
            Helper.sequence(builder);
            if (last != null) { last.append("b"); }
            last = builder;
        }
    }
    void captures(String name) {
        Supplier<Object> supplier = () -> Helper.text(name);
        Consumer<String> consumer = other -> Helper.many(name, other, this);
    }
    void nothing(int i) { Helper.number(i); String.valueOf(i); hashCode(); }
    interface URLs {}
}
