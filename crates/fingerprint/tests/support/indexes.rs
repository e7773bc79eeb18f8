//! Where in a class file constant-pool indexes stand. A second reading of the specification that
//! shares nothing with the fingerprint but the reader of the outer structure.

use std::collections::BTreeMap;

use tamis_classfile::{Attributes, ClassFile, Code, Reader};

/// An index into the constant pool, found outside the pool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    /// Where it stands in the class file.
    pub(crate) at: usize,
    /// One byte for `ldc`, otherwise two.
    pub(crate) width: usize,
    /// What it says.
    pub(crate) index: u16,
    /// Whether it stands in an attribute that the fingerprint ignores.
    pub(crate) ignored: bool,
}

const IGNORED: &[&[u8]] = &[
    b"Deprecated",
    b"LineNumberTable",
    b"LocalVariableTable",
    b"LocalVariableTypeTable",
    b"RuntimeInvisibleAnnotations",
    b"RuntimeInvisibleParameterAnnotations",
    b"RuntimeInvisibleTypeAnnotations",
    b"SourceDebugExtension",
    b"SourceFile",
    b"StackMapTable",
    // Counted where it is used.
    b"BootstrapMethods",
];

/// All indexes in `class` outside its pool.
pub(crate) fn slots(class: &ClassFile<'_>) -> Vec<Slot> {
    let codes = class
        .methods()
        .filter_map(|method| class.code(&method.unwrap()).unwrap());
    let codes = codes.map(|code| (code.code_offset, code)).collect();
    let mut walk = Walk {
        class,
        codes,
        slots: Vec::new(),
        ignored: false,
    };
    let start = class.pool.end() + 2;
    let mut r = Reader::new(&class.bytes[start..], start);
    walk.indexes(&mut r, 2);
    walk.list(&mut r);
    for member in class.fields().chain(class.methods()) {
        let member = member.unwrap();
        let start = member.offset + 2;
        walk.indexes(&mut Reader::new(&class.bytes[start..], start), 2);
        walk.attributes(member.attributes);
    }
    walk.attributes(class.attributes());
    walk.slots
}

struct Walk<'w, 'a> {
    class: &'w ClassFile<'a>,
    /// The code of each method, by where its instructions start.
    codes: BTreeMap<usize, Code<'a>>,
    slots: Vec<Slot>,
    ignored: bool,
}

impl<'a> Walk<'_, 'a> {
    fn index(&mut self, r: &mut Reader<'a>) {
        let (at, index) = (r.offset(), r.u16().unwrap());
        if index != 0 {
            self.slots.push(Slot {
                at,
                width: 2,
                index,
                ignored: self.ignored,
            });
        }
    }

    fn indexes(&mut self, r: &mut Reader<'a>, count: usize) {
        (0..count).for_each(|_| self.index(r));
    }

    /// A count and as many indexes.
    fn list(&mut self, r: &mut Reader<'a>) {
        let count = r.u16().unwrap();
        self.indexes(r, count.into());
    }

    /// A count and as many items.
    fn items(&mut self, r: &mut Reader<'a>, mut item: impl FnMut(&mut Self, &mut Reader<'a>)) {
        (0..r.u16().unwrap()).for_each(|_| item(self, r));
    }

    fn attributes(&mut self, attributes: Attributes<'a>) {
        for attribute in attributes {
            let attribute = attribute.unwrap();
            let start = attribute.offset - 6;
            self.attribute(&mut Reader::new(&self.class.bytes[start..], start), false);
        }
    }

    fn attribute(&mut self, r: &mut Reader<'a>, in_code: bool) {
        let mut ahead = *r;
        let name = self.class.pool.utf8(ahead.u16().unwrap()).unwrap();
        let ignored =
            IGNORED.contains(&name) || in_code && name == b"RuntimeVisibleTypeAnnotations";
        let before = std::mem::replace(&mut self.ignored, ignored);
        self.index(r);
        let length = r.u32().unwrap() as usize;
        let mut content = r.sub(length).unwrap();
        self.content(name, &mut content);
        assert!(content.is_empty(), "{}", String::from_utf8_lossy(name));
        self.ignored = before;
    }

    fn content(&mut self, name: &[u8], r: &mut Reader<'a>) {
        match name {
            b"Code" => self.code(r),
            b"StackMapTable" => self.items(r, Self::frame),
            b"ConstantValue" | b"Signature" | b"SourceFile" | b"NestHost" | b"ModuleMainClass" => {
                self.index(r);
            }
            b"EnclosingMethod" => self.indexes(r, 2),
            b"Exceptions" | b"NestMembers" | b"PermittedSubclasses" | b"ModulePackages" => {
                self.list(r);
            }
            b"InnerClasses" => self.items(r, Self::inner_class),
            b"LocalVariableTable" | b"LocalVariableTypeTable" => self.items(r, |w, r| {
                r.u32().unwrap();
                w.indexes(r, 2);
                r.u16().unwrap();
            }),
            b"MethodParameters" => (0..r.u8().unwrap()).for_each(|_| {
                self.index(r);
                r.u16().unwrap();
            }),
            b"BootstrapMethods" => self.items(r, |w, r| {
                w.index(r);
                w.list(r);
            }),
            b"Record" => self.items(r, |w, r| {
                w.indexes(r, 2);
                w.items(r, |w, r| w.attribute(r, false));
            }),
            b"Module" => self.module(r),
            b"RuntimeVisibleAnnotations" | b"RuntimeInvisibleAnnotations" => {
                self.items(r, Self::annotation);
            }
            b"RuntimeVisibleParameterAnnotations" | b"RuntimeInvisibleParameterAnnotations" => {
                (0..r.u8().unwrap()).for_each(|_| self.items(r, Self::annotation));
            }
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                self.items(r, |w, r| {
                    skip_target(r);
                    w.annotation(r);
                });
            }
            b"AnnotationDefault" => self.value(r),
            // The rest of what the specification and the JDK know holds no indexes.
            _ => {
                while !r.is_empty() {
                    r.u8().unwrap();
                }
            }
        }
    }

    fn code(&mut self, r: &mut Reader<'a>) {
        r.u32().unwrap();
        let length = r.u32().unwrap() as usize;
        let code = r.offset();
        r.take(length).unwrap();
        for instruction in self.codes[&code].instructions() {
            let instruction = instruction.unwrap();
            let Some(index) = instruction.constant() else {
                continue;
            };
            let width = instruction.operands.len().min(2);
            let at = code + instruction.pc + 1;
            self.slots.push(Slot {
                at,
                width,
                index,
                ignored: false,
            });
        }
        self.items(r, |w, r| {
            r.take(6).unwrap();
            w.index(r);
        });
        self.items(r, |w, r| w.attribute(r, true));
    }

    fn inner_class(&mut self, r: &mut Reader<'a>) {
        let mut ahead = *r;
        let (inner, outer) = (ahead.u16().unwrap(), ahead.u16().unwrap());
        let is_this = |i| self.class.pool.class_name(i) == self.class.name();
        self.ignored = outer != 0 && !is_this(inner) && !is_this(outer);
        self.indexes(r, 3);
        r.u16().unwrap();
    }

    fn frame(&mut self, r: &mut Reader<'a>) {
        match r.u8().unwrap() {
            0..=63 => {}
            64..=127 => self.verification_types(r, 1),
            247 => {
                r.u16().unwrap();
                self.verification_types(r, 1);
            }
            248..=251 => {
                r.u16().unwrap();
            }
            tag @ 252..=254 => {
                r.u16().unwrap();
                self.verification_types(r, u16::from(tag) - 251);
            }
            255 => {
                r.u16().unwrap();
                for _locals_then_stack in 0..2 {
                    let count = r.u16().unwrap();
                    self.verification_types(r, count);
                }
            }
            tag => panic!("frame {tag}"),
        }
    }

    fn verification_types(&mut self, r: &mut Reader<'a>, count: u16) {
        for _ in 0..count {
            match r.u8().unwrap() {
                7 => self.index(r),
                8 => {
                    r.u16().unwrap();
                }
                _ => {}
            }
        }
    }

    fn module(&mut self, r: &mut Reader<'a>) {
        self.index(r);
        r.u16().unwrap();
        self.index(r);
        self.items(r, |w, r| {
            w.index(r);
            r.u16().unwrap();
            w.index(r);
        });
        for _exports_then_opens in 0..2 {
            self.items(r, |w, r| {
                w.index(r);
                r.u16().unwrap();
                w.list(r);
            });
        }
        self.list(r);
        self.items(r, |w, r| {
            w.index(r);
            w.list(r);
        });
    }

    fn annotation(&mut self, r: &mut Reader<'a>) {
        self.index(r);
        self.items(r, |w, r| {
            w.index(r);
            w.value(r);
        });
    }

    fn value(&mut self, r: &mut Reader<'a>) {
        match r.u8().unwrap() {
            b'e' => self.indexes(r, 2),
            b'@' => self.annotation(r),
            b'[' => self.items(r, Self::value),
            _ => self.index(r),
        }
    }
}

fn skip_target(r: &mut Reader<'_>) {
    let length = match r.u8().unwrap() {
        0x13..=0x15 => 0,
        0x00 | 0x01 | 0x16 => 1,
        0x40 | 0x41 => usize::from(r.u16().unwrap()) * 6,
        0x47..=0x4b => 3,
        _ => 2,
    };
    r.take(length).unwrap();
    let path = usize::from(r.u8().unwrap());
    r.take(path * 2).unwrap();
}
