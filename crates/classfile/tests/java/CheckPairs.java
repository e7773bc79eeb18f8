import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.classfile.Attribute;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeAnnotation;
import java.lang.classfile.attribute.*;
import java.lang.classfile.attribute.StackMapFrameInfo.UninitializedVerificationTypeInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.VerificationTypeInfo;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.DiscontinuedInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
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

    /** The messages without positions, constant indexes and empty slots, which an edit moves or adds. */
    static List<String> errors(ClassFile classFile, byte[] bytes) {
        return classFile.verify(bytes).stream()
                .map(e -> e.getMessage().replaceAll("\\d+", "#").replaceAll("(, )?bogus_type", "")).toList();
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
            var places = new Places(old, now, prefix, epilogue, pair.inside().get(i));
            if (places.difference != null) {
                fail(where + ": " + places.difference);
                continue;
            }
            if (now.maxStack() < old.maxStack() || now.maxLocals() != old.maxLocals()) {
                fail(where + ": max_stack or max_locals differ");
            }
            var expected = new Tables(old, pc -> pc, pc -> pc);
            var actual = new Tables(now, places::reached, places::own);
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

    /** Where the instructions of a patched method were before; they must be the same ones. */
    static final class Places {
        /** By new position: the instruction that is reached there, and the one that stands there; or -1. */
        final int[] reached;
        final int[] own;
        final int prefix;
        String difference;

        Places(CodeAttribute old, CodeAttribute now, int prefix, int epilogue, Map<Integer, Integer> inside) {
            this.prefix = prefix;
            reached = new int[now.codeLength() + 1];
            own = new int[now.codeLength() + 1];
            Arrays.fill(reached, -1);
            Arrays.fill(own, -1);
            if (inside.isEmpty()) {
                compareWhole(old, now, epilogue);
                return;
            }
            var before = instructions(old);
            var after = instructions(now);
            int at = prefix;
            for (int pc = 0; pc < old.codeLength(); pc += before[pc].sizeInBytes()) {
                reached[at] = pc;
                at += inside.getOrDefault(pc, 0);
                if (pc + 1 == old.codeLength() && epilogue > 0) {
                    at += epilogue;
                    break;
                }
                if (at >= after.length || after[at] == null) {
                    difference = "no instruction for " + before[pc] + " at " + pc;
                    return;
                }
                own[at] = pc;
                at += after[at].sizeInBytes();
            }
            if (at != now.codeLength()) {
                difference = "length " + now.codeLength() + " and not " + at;
                return;
            }
            reached[at] = old.codeLength();
            for (int place = prefix; place < at; place++) {
                if (own[place] >= 0 && !same(old, before[own[place]], own[place], now, after[place], place)) {
                    difference = before[own[place]] + " at " + own[place] + " became " + after[place] + " at " + place;
                    return;
                }
            }
        }

        void compareWhole(CodeAttribute old, CodeAttribute now, int epilogue) {
            int kept = old.codeLength() - (epilogue == 0 ? 0 : 1);
            if (now.codeLength() != prefix + kept + epilogue
                    || !Arrays.equals(old.codeArray(), 0, kept, now.codeArray(), prefix, prefix + kept)) {
                difference = "instructions differ";
                return;
            }
            for (int pc = 0; pc <= kept; pc++) {
                reached[prefix + pc] = pc;
                own[prefix + pc] = pc;
            }
            reached[now.codeLength()] = old.codeLength();
        }

        static Instruction[] instructions(CodeAttribute code) {
            var instructions = new Instruction[code.codeLength()];
            int pc = 0;
            for (var element : code) {
                if (element instanceof Instruction instruction) {
                    instructions[pc] = instruction;
                    pc += instruction.sizeInBytes();
                }
            }
            return instructions;
        }

        boolean same(CodeAttribute old, Instruction a, int pc, CodeAttribute now, Instruction b, int place) {
            var targets = targets(old, a, target -> target);
            if (targets.isEmpty()) {
                return Arrays.equals(old.codeArray(), pc, pc + a.sizeInBytes(), now.codeArray(), place, place + b.sizeInBytes());
            }
            return narrow(a.opcode()) == narrow(b.opcode()) && targets.equals(targets(now, b, this::reached));
        }

        static Opcode narrow(Opcode opcode) {
            return opcode == Opcode.GOTO_W ? Opcode.GOTO : opcode == Opcode.JSR_W ? Opcode.JSR : opcode;
        }

        static List<Integer> targets(CodeAttribute code, Instruction instruction, IntUnaryOperator place) {
            var targets = new ArrayList<Integer>();
            switch (instruction) {
                case BranchInstruction i -> targets.add(place.applyAsInt(code.labelToBci(i.target())));
                case DiscontinuedInstruction.JsrInstruction i -> targets.add(place.applyAsInt(code.labelToBci(i.target())));
                case TableSwitchInstruction i -> {
                    targets.addAll(List.of(i.lowValue(), i.highValue()));
                    cases(targets, code, i.defaultTarget(), i.cases(), place);
                }
                case LookupSwitchInstruction i -> cases(targets, code, i.defaultTarget(), i.cases(), place);
                default -> {}
            }
            return targets;
        }

        static void cases(List<Integer> targets, CodeAttribute code, Label other, List<SwitchCase> cases, IntUnaryOperator place) {
            targets.add(place.applyAsInt(code.labelToBci(other)));
            for (var c : cases) {
                targets.add(c.caseValue());
                targets.add(place.applyAsInt(code.labelToBci(c.target())));
            }
        }

        int reached(int pc) {
            return pc < prefix ? 0 : pc < reached.length ? reached[pc] : pc;
        }

        int own(int pc) {
            return own[pc];
        }
    }

    /** Everything in a method's tables that depends on positions, as text. */
    static final class Tables {
        final CodeAttribute code;
        final IntUnaryOperator place;
        final IntUnaryOperator own;
        final List<String> frames = new ArrayList<>();
        final List<String> rest = new ArrayList<>();

        Tables(CodeAttribute code, IntUnaryOperator place, IntUnaryOperator own) {
            this.code = code;
            this.place = place;
            this.own = own;
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
                case TypeAnnotation.OffsetTarget t -> own(t.target());
                case TypeAnnotation.TypeArgumentTarget t -> own(t.target()) + " " + t.typeArgumentIndex();
                case TypeAnnotation.CatchTarget t -> t.exceptionTableIndex();
                default -> "";
            };
            rest.add("annotation " + a.targetInfo().targetType() + where + a.targetPath() + a.annotation());
        }

        String types(List<VerificationTypeInfo> types) {
            return types.stream()
                    .map(t -> t instanceof UninitializedVerificationTypeInfo u ? "new@" + own(u.newTarget()) : t.toString())
                    .toList().toString();
        }

        String range(int start, int length) {
            return pc(start) + ".." + pc(start + length) + " ";
        }

        int own(Label label) {
            return own.applyAsInt(code.labelToBci(label));
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
