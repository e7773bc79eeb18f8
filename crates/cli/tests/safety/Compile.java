import java.nio.file.*;
import java.util.*;
import javax.tools.*;

/** Compiles once per line of a file: output directory, class path, options, source files. */
class Compile {
    public static void main(String[] args) throws Exception {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        boolean ok = true;
        try (StandardJavaFileManager files = javac.getStandardFileManager(null, null, null)) {
            for (String line : Files.readAllLines(Path.of(args[0]))) {
                List<String> fields = List.of(line.split("\t"));
                List<String> options = new ArrayList<>(List.of("-g", "-nowarn", "-proc:none",
                        "-Xlint:-options", "-implicit:none", "-encoding", "UTF-8"));
                options.addAll(List.of("-d", fields.get(0), "-cp", fields.get(1)));
                for (String option : fields.get(2).split(" ")) {
                    if (!option.isEmpty()) {
                        options.add(option);
                    }
                }
                List<String> names = fields.subList(3, fields.size());
                ok &= javac.getTask(null, files, null, options, null,
                        files.getJavaFileObjectsFromStrings(names)).call();
            }
        }
        System.exit(ok ? 0 : 1);
    }
}
