use crate::{Attribute, Attributes, Error, Reader, Result};

/// Opcodes that readers and editors ask for by name (chapter 6).
#[allow(missing_docs)]
pub mod opcode {
    pub const NOP: u8 = 0x00;
    pub const ACONST_NULL: u8 = 0x01;
    pub const ICONST_M1: u8 = 0x02;
    pub const ICONST_0: u8 = 0x03;
    pub const ICONST_1: u8 = 0x04;
    pub const ICONST_5: u8 = 0x08;
    pub const LCONST_0: u8 = 0x09;
    pub const LCONST_1: u8 = 0x0a;
    pub const FCONST_0: u8 = 0x0b;
    pub const FCONST_2: u8 = 0x0d;
    pub const DCONST_0: u8 = 0x0e;
    pub const DCONST_1: u8 = 0x0f;
    pub const BIPUSH: u8 = 0x10;
    pub const SIPUSH: u8 = 0x11;
    pub const LDC: u8 = 0x12;
    pub const LDC_W: u8 = 0x13;
    pub const LDC2_W: u8 = 0x14;
    pub const ILOAD_1: u8 = 0x1b;
    pub const ILOAD_3: u8 = 0x1d;
    pub const ALOAD_0: u8 = 0x2a;
    pub const ALOAD_1: u8 = 0x2b;
    pub const ALOAD_2: u8 = 0x2c;
    pub const AALOAD: u8 = 0x32;
    pub const ISTORE_3: u8 = 0x3e;
    pub const ASTORE_2: u8 = 0x4d;
    pub const BASTORE: u8 = 0x54;
    pub const POP: u8 = 0x57;
    pub const POP2: u8 = 0x58;
    pub const DUP: u8 = 0x59;
    pub const IADD: u8 = 0x60;
    pub const ISUB: u8 = 0x64;
    pub const IMUL: u8 = 0x68;
    pub const IDIV: u8 = 0x6c;
    pub const IREM: u8 = 0x70;
    pub const INEG: u8 = 0x74;
    pub const DNEG: u8 = 0x77;
    pub const ISHL: u8 = 0x78;
    pub const ISHR: u8 = 0x7a;
    pub const IUSHR: u8 = 0x7c;
    pub const IAND: u8 = 0x7e;
    pub const IOR: u8 = 0x80;
    pub const IXOR: u8 = 0x82;
    pub const LXOR: u8 = 0x83;
    pub const IINC: u8 = 0x84;
    pub const IFEQ: u8 = 0x99;
    pub const IF_ACMPEQ: u8 = 0xa5;
    pub const IF_ACMPNE: u8 = 0xa6;
    pub const GOTO: u8 = 0xa7;
    pub const JSR: u8 = 0xa8;
    pub const RET: u8 = 0xa9;
    pub const TABLESWITCH: u8 = 0xaa;
    pub const LOOKUPSWITCH: u8 = 0xab;
    pub const IRETURN: u8 = 0xac;
    pub const ARETURN: u8 = 0xb0;
    pub const RETURN: u8 = 0xb1;
    pub const GETSTATIC: u8 = 0xb2;
    pub const PUTSTATIC: u8 = 0xb3;
    pub const GETFIELD: u8 = 0xb4;
    pub const PUTFIELD: u8 = 0xb5;
    pub const INVOKEVIRTUAL: u8 = 0xb6;
    pub const INVOKESPECIAL: u8 = 0xb7;
    pub const INVOKESTATIC: u8 = 0xb8;
    pub const INVOKEINTERFACE: u8 = 0xb9;
    pub const INVOKEDYNAMIC: u8 = 0xba;
    pub const NEW: u8 = 0xbb;
    pub const NEWARRAY: u8 = 0xbc;
    pub const ANEWARRAY: u8 = 0xbd;
    pub const ARRAYLENGTH: u8 = 0xbe;
    pub const ATHROW: u8 = 0xbf;
    pub const CHECKCAST: u8 = 0xc0;
    pub const INSTANCEOF: u8 = 0xc1;
    pub const MONITORENTER: u8 = 0xc2;
    pub const MONITOREXIT: u8 = 0xc3;
    pub const WIDE: u8 = 0xc4;
    pub const MULTIANEWARRAY: u8 = 0xc5;
    pub const IFNULL: u8 = 0xc6;
    pub const IFNONNULL: u8 = 0xc7;
    pub const GOTO_W: u8 = 0xc8;
    pub const JSR_W: u8 = 0xc9;
}

/// The `Code` attribute of a method (section 4.7.3).
#[derive(Debug, Clone, Copy)]
pub struct Code<'a> {
    /// The attribute itself.
    pub attribute: Attribute<'a>,
    /// Operand stack depth.
    pub max_stack: u16,
    /// Local variables.
    pub max_locals: u16,
    /// The instructions.
    pub code: &'a [u8],
    /// Where the instructions start in the class file.
    pub code_offset: usize,
    handlers: Reader<'a>,
    handler_count: u16,
    /// LineNumberTable, StackMapTable and the like.
    pub attributes: Attributes<'a>,
}

/// One entry of the exception table; `catch_type` is 0 for `finally`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ExceptionHandler {
    pub start_pc: u16,
    pub end_pc: u16,
    pub handler_pc: u16,
    pub catch_type: u16,
}

impl<'a> Code<'a> {
    pub(crate) fn parse(attribute: Attribute<'a>) -> Result<Self> {
        let mut r = attribute.reader();
        let max_stack = r.u16()?;
        let max_locals = r.u16()?;
        let length = r.u32()? as usize;
        let code_offset = r.offset();
        let code = r.take(length)?;
        let handler_count = r.u16()?;
        let handlers = r.sub(usize::from(handler_count) * 8)?;
        let attributes = Attributes::parse(&mut r)?;
        if !r.is_empty() {
            return Err(Error::Malformed {
                at: r.offset(),
                what: "bytes after the code",
            });
        }
        Ok(Code {
            attribute,
            max_stack,
            max_locals,
            code,
            code_offset,
            handlers,
            handler_count,
            attributes,
        })
    }

    /// The exception table, in order.
    pub fn handlers(&self) -> impl Iterator<Item = Result<ExceptionHandler>> + use<'a> {
        let mut r = self.handlers;
        (0..self.handler_count).map(move |_| {
            Ok(ExceptionHandler {
                start_pc: r.u16()?,
                end_pc: r.u16()?,
                handler_pc: r.u16()?,
                catch_type: r.u16()?,
            })
        })
    }

    /// The instructions, in order.
    pub fn instructions(&self) -> Instructions<'a> {
        Instructions {
            code: self.code,
            base: self.code_offset,
            pc: 0,
        }
    }
}

/// One instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction<'a> {
    /// Its offset in the code.
    pub pc: usize,
    /// Its opcode; for `wide` forms this is `WIDE` and the operands start with the real opcode.
    pub opcode: u8,
    /// The bytes after the opcode, padding of switches included.
    pub operands: &'a [u8],
}

impl<'a> Instruction<'a> {
    /// The constant-pool index in the operands, for the instructions that have one.
    pub fn constant(&self) -> Option<u16> {
        match (self.opcode, self.operands) {
            (opcode::LDC, &[index]) => Some(u16::from(index)),
            (
                opcode::LDC_W
                | opcode::LDC2_W
                | opcode::GETSTATIC..=opcode::NEW
                | opcode::ANEWARRAY
                | opcode::CHECKCAST
                | opcode::INSTANCEOF
                | opcode::MULTIANEWARRAY,
                &[high, low, ..],
            ) => Some(u16::from_be_bytes([high, low])),
            _ => None,
        }
    }

    /// The distance that a jump, a conditional branch or a subroutine call goes.
    pub fn branch(&self) -> Option<i32> {
        match (self.opcode, self.operands) {
            (opcode::IFEQ..=opcode::JSR | opcode::IFNULL | opcode::IFNONNULL, &[high, low]) => {
                Some(i16::from_be_bytes([high, low]).into())
            }
            (opcode::GOTO_W | opcode::JSR_W, &[a, b, c, d]) => {
                Some(i32::from_be_bytes([a, b, c, d]))
            }
            _ => None,
        }
    }

    /// The cases of a switch.
    pub fn switch(&self) -> Option<Switch<'a>> {
        if !matches!(self.opcode, opcode::TABLESWITCH | opcode::LOOKUPSWITCH) {
            return None;
        }
        let mut r = Reader::new(self.operands.get(switch_padding(self.pc)..)?, 0);
        let default = r.u32().ok()?.cast_signed();
        // Then `low` and `high`, or the number of pairs.
        let low = r.u32().ok()?.cast_signed();
        let is_table = self.opcode == opcode::TABLESWITCH;
        if is_table {
            r.u32().ok()?;
        }
        Some(Switch {
            default,
            low: is_table.then_some(low),
            cases: r,
        })
    }

    /// The position that is `distance` away from this instruction, if a method can have it.
    pub fn target(&self, distance: i32) -> Option<u16> {
        let target = i64::try_from(self.pc).ok()? + i64::from(distance);
        u16::try_from(target).ok()
    }
}

/// How many bytes stand between the opcode of a switch at `pc` and its operands, which start at a
/// multiple of four from the method's start.
pub(crate) fn switch_padding(pc: usize) -> usize {
    3 - pc % 4
}

/// The cases of a `tableswitch` or `lookupswitch`.
#[derive(Debug, Clone, Copy)]
pub struct Switch<'a> {
    /// The distance to where it goes if no case fits.
    pub default: i32,
    /// The key of the first case of a `tableswitch`.
    low: Option<i32>,
    cases: Reader<'a>,
}

impl<'a> Switch<'a> {
    /// Keys and distances, in order.
    pub fn cases(&self) -> impl Iterator<Item = (i32, i32)> + use<'a> {
        let mut r = self.cases;
        let mut next = self.low;
        std::iter::from_fn(move || {
            let key = match next {
                Some(key) => key,
                None => r.u32().ok()?.cast_signed(),
            };
            next = next.map(|key| key.wrapping_add(1));
            Some((key, r.u32().ok()?.cast_signed()))
        })
    }
}

/// Iterates over the instructions of a method; after an error it ends.
#[derive(Debug, Clone)]
pub struct Instructions<'a> {
    code: &'a [u8],
    base: usize,
    pc: usize,
}

impl<'a> Instructions<'a> {
    fn at_pc(&self) -> Result<Instruction<'a>> {
        let at = self.base + self.pc;
        let truncated = Error::Truncated { at };
        let rest = self.code.get(self.pc..).and_then(<[u8]>::split_first);
        let Some((&opcode, rest)) = rest else {
            return Err(truncated);
        };
        let length = match OPERAND_BYTES.get(usize::from(opcode)) {
            Some(&VARIABLE) => self.variable_length(opcode, Reader::new(rest, at + 1))?,
            Some(&length) if length != UNDEFINED => usize::from(length),
            _ => {
                let what = "unknown opcode";
                return Err(Error::Malformed { at, what });
            }
        };
        let operands = rest.get(..length).ok_or(truncated)?;
        Ok(Instruction {
            pc: self.pc,
            opcode,
            operands,
        })
    }

    /// The length of the operands of a switch or of a `wide` instruction.
    fn variable_length(&self, opcode: u8, mut r: Reader<'a>) -> Result<usize> {
        let malformed = |what| Error::Malformed {
            at: self.base + self.pc,
            what,
        };
        if opcode == opcode::WIDE {
            return match r.u8()? {
                0x84 => Ok(5),
                0x15..=0x19 | 0x36..=0x3a | 0xa9 => Ok(3),
                _ => Err(malformed("bad wide instruction")),
            };
        }
        let padding = switch_padding(self.pc);
        r.take(padding)?;
        r.u32()?;
        let (fixed, cases, size) = if opcode == opcode::TABLESWITCH {
            let low = i64::from(r.u32()?.cast_signed());
            let high = i64::from(r.u32()?.cast_signed());
            (12, high - low + 1, 4)
        } else {
            (8, i64::from(r.u32()?.cast_signed()), 8)
        };
        let cases = usize::try_from(cases)
            .ok()
            .and_then(|n| n.checked_mul(size));
        Ok(padding + fixed + cases.ok_or(malformed("switch with bad bounds"))?)
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Instruction<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.pc >= self.code.len() {
            return None;
        }
        let instruction = self.at_pc();
        match &instruction {
            Ok(i) => self.pc += 1 + i.operands.len(),
            Err(_) => self.pc = self.code.len(),
        }
        Some(instruction)
    }
}

const UNDEFINED: u8 = u8::MAX;
const VARIABLE: u8 = u8::MAX - 1;

/// Bytes of operands per opcode.
const OPERAND_BYTES: [u8; 256] = operand_bytes();

#[allow(clippy::indexing_slicing)] // evaluated by the compiler: an index out of range does not build
const fn operand_bytes() -> [u8; 256] {
    let mut table = [UNDEFINED; 256];
    let mut op = 0;
    while op <= 0xc9 {
        table[op] = match op as u8 {
            0x10 | 0x12 | 0x15..=0x19 | 0x36..=0x3a | 0xa9 | 0xbc => 1,
            0x11 | 0x13 | 0x14 | 0x84 | 0x99..=0xa8 | 0xb2..=0xb8 | 0xbb | 0xbd | 0xc0 | 0xc1 => 2,
            0xc6 | 0xc7 => 2,
            0xc5 => 3,
            0xb9 | 0xba | 0xc8 | 0xc9 => 4,
            0xaa | 0xab | 0xc4 => VARIABLE,
            _ => 0,
        };
        op += 1;
    }
    table
}
