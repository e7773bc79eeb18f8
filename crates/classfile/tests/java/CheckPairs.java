import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.classfile.Attribute;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.Label;
import java.lang.classfile.TypeAnnotation;
import java.lang.classfile.attribute.*;
import java.lang.classfile.attribute.StackMapFrameInfo.UninitializedVerificationTypeInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.VerificationTypeInfo;
import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

/**
 * Reads classes and their patched forms with the JDK's own class file API. A patched class may have
 * no verification error that the original has not, and every table of its code must say about the
 * original instructions what it said before.
 */
public class CheckPairs {
    static final AtomicInteger failures = new AtomicInteger();
    static final AtomicInteger methods = new AtomicInteger();
    static final AtomicInteger invalidBefore = new AtomicInteger();

    public static void main(String[] archives) throws Exception {
        for (var archive : archives) {
            check(Pair.read(archive));
        }
        System.exit(failures.get() == 0 ? 0 : 1);
    }

    static void check(List<Pair> pairs) {
        var known = new HashMap<String, byte[]>();
        for (var pair : pairs) {
            known.put(pair.file(), pair.original());
        }
        var resolver = ClassHierarchyResolver.ofResourceParsing(desc -> find(known, desc))
                .orElse(ClassHierarchyResolver.defaultResolver())
                .cached(java.util.concurrent.ConcurrentHashMap::new);
        var classFile = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(resolver));
        pairs.parallelStream().forEach(pair -> {
            try {
                verify(classFile, pair);
                compare(classFile, pair);
            } catch (RuntimeException | Error e) {
                fail(pair.file() + ": " + e + " at " + e.getStackTrace()[0]);
            }
        });
        System.out.printf("%d classes, %d patched methods, %d classes invalid before, %d failures%n",
                pairs.size(), methods.getAndSet(0), invalidBefore.getAndSet(0), failures.get());
    }

    static InputStream find(Map<String, byte[]> known, ClassDesc desc) {
        var name = desc.descriptorString();
        var bytes = known.get(name.substring(1, name.length() - 1) + ".class");
        return bytes == null ? null : new ByteArrayInputStream(bytes);
    }

    static void fail(String message) {
        if (failures.incrementAndGet() <= 20) {
            System.out.println(message);
        }
    }

    static void verify(ClassFile classFile, Pair pair) {
        var after = errors(classFile, pair.patched());
        if (!after.isEmpty()) {
            var before = errors(classFile, pair.original());
            if (before.equals(after)) {
                invalidBefore.incrementAndGet();
            } else {
                fail(pair.file() + ": before " + before + ", after " + after);
            }
        }
    }

    /** The messages without positions and constant indexes, which an edit moves. */
    static List<String> errors(ClassFile classFile, byte[] bytes) {
        return classFile.verify(bytes).stream().map(e -> e.getMessage().replaceAll("\\d+", "#")).toList();
    }

    static void compare(ClassFile classFile, Pair pair) {
        var before = classFile.parse(pair.original()).methods();
        var after = classFile.parse(pair.patched()).methods();
        for (int i = 0; i < before.size(); i++) {
            int prefix = pair.prefix()[i];
            if (before.get(i).code().isEmpty() || prefix == 0) {
                continue;
            }
            methods.incrementAndGet();
            var old = (CodeAttribute) before.get(i).code().get();
            var now = (CodeAttribute) after.get(i).code().get();
            var where = pair.file() + " " + before.get(i).methodName() + before.get(i).methodType();
            int epilogue = pair.epilogue()[i];
            int kept = old.codeLength() - (epilogue == 0 ? 0 : 1);
            if (now.codeLength() != prefix + kept + epilogue
                    || !Arrays.equals(old.codeArray(), 0, kept, now.codeArray(), prefix, prefix + kept)) {
                fail(where + ": instructions differ");
            }
            if (now.maxStack() < old.maxStack() || now.maxLocals() != old.maxLocals()) {
                fail(where + ": max_stack or max_locals differ");
            }
            // Back to positions of the original; those in the prefix become its start, and none
            // may be inside the epilogue.
            var expected = new Tables(old, pc -> pc);
            int end = now.codeLength();
            var actual = new Tables(now, pc -> pc == end ? old.codeLength() : pc > prefix + kept ? -1 : Math.max(pc - prefix, 0));
            if (now.exceptionHandlers().stream().anyMatch(h -> now.labelToBci(h.tryStart()) < prefix)) {
                fail(where + ": a handler covers the prefix");
            }
            // A frame at the original's start is either added or was there.
            actual.frames.removeIf(frame -> frame.equals("0:same") && !expected.frames.contains(frame));
            if (!expected.toString().equals(actual.toString())) {
                fail(where + ":\n  " + expected + "\n  " + actual);
            }
        }
    }

    /** Everything in a method's tables that depends on positions, as text. */
    static final class Tables {
        final CodeAttribute code;
        final IntUnaryOperator place;
        final List<String> frames = new ArrayList<>();
        final List<String> rest = new ArrayList<>();

        Tables(CodeAttribute code, IntUnaryOperator place) {
            this.code = code;
            this.place = place;
            for (var h : code.exceptionHandlers()) {
                rest.add("catch " + pc(h.tryStart()) + ".." + pc(h.tryEnd()) + " " + pc(h.handler()) + " " + h.catchType());
            }
            for (var attribute : code.attributes()) {
                read(attribute);
            }
        }

        void read(Attribute<?> attribute) {
            switch (attribute) {
                case LineNumberTableAttribute lines -> {
                    for (var line : lines.lineNumbers()) {
                        rest.add("line " + pc(line.startPc()) + " " + line.lineNumber());
                    }
                }
                case LocalVariableTableAttribute variables -> {
                    for (var v : variables.localVariables()) {
                        rest.add("var " + range(v.startPc(), v.length()) + v.name() + v.type() + v.slot());
                    }
                }
                case LocalVariableTypeTableAttribute variables -> {
                    for (var v : variables.localVariableTypes()) {
                        rest.add("type " + range(v.startPc(), v.length()) + v.name() + v.signature() + v.slot());
                    }
                }
                case StackMapTableAttribute map -> {
                    for (var frame : map.entries()) {
                        boolean same = frame.frameType() < 64 || frame.frameType() == 251;
                        var types = same ? "same" : types(frame.locals()) + types(frame.stack());
                        frames.add(pc(frame.target()) + ":" + types);
                    }
                }
                case RuntimeVisibleTypeAnnotationsAttribute a -> a.annotations().forEach(this::annotation);
                case RuntimeInvisibleTypeAnnotationsAttribute a -> a.annotations().forEach(this::annotation);
                case UnknownAttribute a -> rest.add(a.attributeName() + Arrays.toString(a.contents()));
                default -> rest.add(attribute.attributeName().stringValue());
            }
        }

        void annotation(TypeAnnotation a) {
            var where = switch (a.targetInfo()) {
                case TypeAnnotation.LocalVarTarget t -> t.table().stream()
                        .map(v -> pc(v.startLabel()) + ".." + pc(v.endLabel()) + " " + v.index()).toList();
                case TypeAnnotation.OffsetTarget t -> pc(t.target());
                case TypeAnnotation.TypeArgumentTarget t -> pc(t.target()) + " " + t.typeArgumentIndex();
                case TypeAnnotation.CatchTarget t -> t.exceptionTableIndex();
                default -> "";
            };
            rest.add("annotation " + a.targetInfo().targetType() + where + a.targetPath() + a.annotation());
        }

        String types(List<VerificationTypeInfo> types) {
            return types.stream()
                    .map(t -> t instanceof UninitializedVerificationTypeInfo u ? "new@" + pc(u.newTarget()) : t.toString())
                    .toList().toString();
        }

        String range(int start, int length) {
            return pc(start) + ".." + pc(start + length) + " ";
        }

        int pc(Label label) {
            return pc(code.labelToBci(label));
        }

        int pc(int pc) {
            return place.applyAsInt(pc);
        }

        @Override
        public String toString() {
            return frames + " " + rest;
        }
    }
}
