import java.io.*;
import java.util.*;
import javax.tools.*;

/** Compiles once per line of its input (output directory, class path, options, source files), and says how it went. */
class Compile {
    public static void main(String[] args) throws Exception {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = javac.getStandardFileManager(null, null, null);
        BufferedReader tasks = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line; (line = tasks.readLine()) != null;) {
            List<String> fields = List.of(line.split("\t"));
            List<String> options = new ArrayList<>(List.of("-nowarn", "-proc:none",
                    "-Xlint:-options", "-implicit:none", "-encoding", "UTF-8"));
            options.addAll(List.of("-d", fields.get(0), "-cp", fields.get(1)));
            for (String option : fields.get(2).split(" ")) {
                if (!option.isEmpty()) {
                    options.add(option);
                }
            }
            List<String> names = fields.subList(3, fields.size());
            System.out.println(javac.getTask(null, files, null, options, null,
                    files.getJavaFileObjectsFromStrings(names)).call());
        }
    }
}
