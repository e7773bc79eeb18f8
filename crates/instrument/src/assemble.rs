use std::collections::HashMap;
use tamis_classfile::tag;

/// Writes small classes from nothing. They have version 49, so that no stack maps are needed.
#[derive(Default)]
pub(crate) struct Assembler {
    pool: Vec<u8>,
    known: HashMap<Vec<u8>, u16>,
    fields: Vec<Vec<u8>>,
    methods: Vec<Vec<u8>>,
}

const VERSION: u16 = 49;

impl Assembler {
    fn entry(&mut self, bytes: Vec<u8>) -> u16 {
        let next = self.known.len() as u16 + 1;
        *self.known.entry(bytes.clone()).or_insert_with(|| {
            self.pool.extend_from_slice(&bytes);
            next
        })
    }

    fn pair(&mut self, tag: u8, a: u16, b: u16) -> u16 {
        let [a1, a2] = a.to_be_bytes();
        let [b1, b2] = b.to_be_bytes();
        self.entry(vec![tag, a1, a2, b1, b2])
    }

    fn utf8(&mut self, text: &str) -> u16 {
        let mut bytes = vec![tag::UTF8];
        bytes.extend_from_slice(&(text.len() as u16).to_be_bytes());
        bytes.extend_from_slice(text.as_bytes());
        self.entry(bytes)
    }

    fn index(&mut self, tag: u8, text: &str) -> u16 {
        let [high, low] = self.utf8(text).to_be_bytes();
        self.entry(vec![tag, high, low])
    }

    pub(crate) fn class(&mut self, name: &str) -> u16 {
        self.index(tag::CLASS, name)
    }

    pub(crate) fn string(&mut self, text: &str) -> u16 {
        self.index(tag::STRING, text)
    }

    pub(crate) fn integer(&mut self, value: i32) -> u16 {
        let mut bytes = vec![tag::INTEGER];
        bytes.extend_from_slice(&value.to_be_bytes());
        self.entry(bytes)
    }

    fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> u16 {
        let class = self.class(class);
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        let name_and_type = self.pair(tag::NAME_AND_TYPE, name, descriptor);
        self.pair(tag, class, name_and_type)
    }

    pub(crate) fn field_ref(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        self.member(tag::FIELDREF, class, name, descriptor)
    }

    pub(crate) fn method_ref(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        self.member(tag::METHODREF, class, name, descriptor)
    }

    fn head(&mut self, access: u16, name: &str, descriptor: &str) -> Vec<u8> {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        [access, name, descriptor]
            .iter()
            .flat_map(|v| v.to_be_bytes())
            .collect()
    }

    pub(crate) fn field(&mut self, access: u16, name: &str, descriptor: &str) {
        let mut field = self.head(access, name, descriptor);
        field.extend_from_slice(&0u16.to_be_bytes());
        self.fields.push(field);
    }

    /// A method without code.
    pub(crate) fn native(&mut self, access: u16, name: &str, descriptor: &str) {
        let mut method = self.head(access | tamis_classfile::access::NATIVE, name, descriptor);
        method.extend_from_slice(&0u16.to_be_bytes());
        self.methods.push(method);
    }

    pub(crate) fn method(
        &mut self,
        access: u16,
        name: &str,
        descriptor: &str,
        (stack, locals): (u16, u16),
        code: &[u8],
    ) {
        let mut method = self.head(access, name, descriptor);
        method.extend_from_slice(&1u16.to_be_bytes());
        method.extend_from_slice(&self.utf8("Code").to_be_bytes());
        method.extend_from_slice(&(code.len() as u32 + 12).to_be_bytes());
        method.extend_from_slice(&stack.to_be_bytes());
        method.extend_from_slice(&locals.to_be_bytes());
        method.extend_from_slice(&(code.len() as u32).to_be_bytes());
        method.extend_from_slice(code);
        method.extend_from_slice(&[0; 4]);
        self.methods.push(method);
    }

    pub(crate) fn finish(self, access: u16, name: &str, interfaces: &[&str]) -> Vec<u8> {
        self.finish_extending(access, name, "java/lang/Object", interfaces)
    }

    pub(crate) fn finish_extending(
        mut self,
        access: u16,
        name: &str,
        superclass: &str,
        interfaces: &[&str],
    ) -> Vec<u8> {
        let this = self.class(name);
        let superclass = self.class(superclass);
        let interfaces: Vec<u16> = interfaces.iter().map(|i| self.class(i)).collect();
        let mut out = 0xCAFE_BABEu32.to_be_bytes().to_vec();
        let u16s = |out: &mut Vec<u8>, values: &[u16]| {
            out.extend(values.iter().flat_map(|v| v.to_be_bytes()));
        };
        u16s(&mut out, &[0, VERSION, self.known.len() as u16 + 1]);
        out.extend_from_slice(&self.pool);
        u16s(
            &mut out,
            &[access, this, superclass, interfaces.len() as u16],
        );
        u16s(&mut out, &interfaces);
        for table in [&self.fields, &self.methods] {
            u16s(&mut out, &[table.len() as u16]);
            table
                .iter()
                .for_each(|member| out.extend_from_slice(member));
        }
        u16s(&mut out, &[0]);
        out
    }
}
