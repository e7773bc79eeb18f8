import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A class, what it became, and per method the lengths of what was inserted: at its start, instead of its
 * last instruction, and before instructions, by their positions.
 */
record Pair(String file, byte[] original, byte[] patched, int[] prefix, int[] epilogue, List<Map<Integer, Integer>> inside) {
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
                var inside = new ArrayList<Map<Integer, Integer>>();
                for (int i = 0; i < methods; i++) {
                    prefix[i] = in.readUnsignedShort();
                    epilogue[i] = in.readUnsignedShort();
                    var pieces = new HashMap<Integer, Integer>();
                    for (int left = in.readUnsignedShort(); left > 0; left--) {
                        pieces.put(in.readUnsignedShort(), in.readUnsignedShort());
                    }
                    inside.add(pieces);
                }
                pairs.add(new Pair(file, original, patched, prefix, epilogue, inside));
            }
        }
    }
}
