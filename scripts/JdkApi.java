import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.reflect.AccessFlag;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Lists the public classes in the packages java.* of JDKs, as crates/code/src/references/examined.txt
 * has them. With --reflection: which methods there refer to reflection, for those who examine them. Runs on
 * JDK 24 or later and reads any JDK from 11 on:
 *
 *     java scripts/JdkApi.java [--reflection] JAVA_HOME...
 */
public class JdkApi {
    /** The names of top-level classes by packages. */
    private final Map<String, Set<String>> classes = new TreeMap<>();
    /** The calls by classes, those inside other classes with the latter. */
    private final Map<String, Set<String>> calls = new TreeMap<>();

    public static void main(String[] arguments) throws Exception {
        JdkApi api = new JdkApi();
        boolean reflection = arguments[0].equals("--reflection");
        for (String home : List.of(arguments).subList(reflection ? 1 : 0, arguments.length)) {
            URI image = URI.create("jrt:/");
            try (FileSystem jdk = FileSystems.newFileSystem(image, Map.of("java.home", home));
                    Stream<Path> modules = Files.list(jdk.getPath("/modules"))) {
                for (Path module : modules.toList()) {
                    api.read(module, reflection);
                }
            }
        }
        (reflection ? api.calls : api.classes)
                .forEach((name, all) -> System.out.println(name + ": " + String.join(" ", all)));
    }

    private void read(Path module, boolean reflection) throws Exception {
        ClassModel info = ClassFile.of().parse(Files.readAllBytes(module.resolve("module-info.class")));
        Set<String> exported = new HashSet<>();
        info.findAttribute(Attributes.module()).orElseThrow().exports().forEach(export -> {
            if (export.exportsTo().isEmpty()) {
                exported.add(export.exportedPackage().name().stringValue());
            }
        });
        for (String name : exported.stream().filter(p -> p.startsWith("java/")).toList()) {
            try (Stream<Path> files = Files.list(module.resolve(name))) {
                for (Path file : files.filter(file -> file.toString().endsWith(".class")).toList()) {
                    if (reflection || file.toString().indexOf('$') < 0) {
                        read(name, ClassFile.of().parse(Files.readAllBytes(file)), reflection);
                    }
                }
            }
        }
    }

    private void read(String packageName, ClassModel model, boolean reflection) {
        String name = model.thisClass().asInternalName().substring(packageName.length() + 1);
        String outermost = name.split("\\$")[0];
        if (name.equals(outermost) && model.flags().has(AccessFlag.PUBLIC)) {
            classes.computeIfAbsent(packageName, key -> new TreeSet<>()).add(name);
        }
        for (MethodModel method : reflection ? model.methods() : List.<MethodModel>of()) {
            Set<String> found = method.code().stream()
                    .flatMap(code -> code.elementStream())
                    .map(JdkApi::reflection)
                    .filter(call -> call != null)
                    .map(call -> method.methodName().stringValue() + "->" + call)
                    .collect(Collectors.toSet());
            if (!found.isEmpty()) {
                String key = packageName + "/" + outermost;
                calls.computeIfAbsent(key, unused -> new TreeSet<>()).addAll(found);
            }
        }
    }

    private static final List<String> PACKAGES = List.of(
            "java/io/ObjectStreamClass", "java/lang/StackTraceElement", "java/lang/StackWalker",
            "java/lang/invoke/MethodHandle", "java/lang/reflect/", "java/util/ServiceLoader",
            "java/util/ResourceBundle", "jdk/internal/reflect/");

    private static final List<String> OF_CLASS = List.of(
            "forName", "getAnnotated", "getClasses", "getConstructor", "getDeclared", "getEnclosing", "getField",
            "getGeneric", "getMethod", "getNest", "getPermitted", "getRecordComponents", "getTypeParameters",
            "newInstance");

    private static final Set<String> ANYWHERE = Set.of(
            "defineClass", "findClass", "getStackTrace", "loadClass", "objectFieldOffset", "printStackTrace");

    /** The method that is called, if it shows members or names of classes; otherwise null. */
    private static String reflection(CodeElement element) {
        if (!(element instanceof InvokeInstruction call)) {
            return null;
        }
        String owner = call.owner().asInternalName();
        String name = call.name().stringValue();
        boolean shows = PACKAGES.stream().anyMatch(owner::startsWith)
                || ANYWHERE.contains(name)
                || owner.equals("java/lang/Class") && OF_CLASS.stream().anyMatch(name::startsWith);
        return shows ? owner + "." + name : null;
    }
}
