import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Writes every class of the running JDK's modules to a file: name, length, bytes. */
public class DumpJdk {
    public static void main(String[] args) throws Exception {
        var modules = FileSystems.newFileSystem(URI.create("jrt:/"), Map.of()).getPath("/modules");
        try (var out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(Path.of(args[0]))));
                var files = Files.walk(modules)) {
            for (var file : (Iterable<Path>) files::iterator) {
                if (file.toString().endsWith(".class")) {
                    var bytes = Files.readAllBytes(file);
                    out.writeUTF(modules.relativize(file).toString());
                    out.writeInt(bytes.length);
                    out.write(bytes);
                }
            }
        }
    }
}
