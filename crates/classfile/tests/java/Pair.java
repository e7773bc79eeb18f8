import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A class, what it became, and per method the bytes inserted at its start and at its end. */
record Pair(String file, byte[] original, byte[] patched, int[] prefix, int[] epilogue) {
    static List<Pair> read(String archive) throws Exception {
        var pairs = new ArrayList<Pair>();
        try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(Path.of(archive)), 1 << 20))) {
            while (true) {
                String file;
                try {
                    file = in.readUTF();
                } catch (EOFException end) {
                    return pairs;
                }
                var original = in.readNBytes(in.readInt());
                var patched = in.readNBytes(in.readInt());
                var methods = in.readUnsignedShort();
                var prefix = new int[methods];
                var epilogue = new int[methods];
                for (int i = 0; i < methods; i++) {
                    prefix[i] = in.readUnsignedShort();
                    epilogue[i] = in.readUnsignedShort();
                }
                pairs.add(new Pair(file, original, patched, prefix, epilogue));
            }
        }
    }
}
