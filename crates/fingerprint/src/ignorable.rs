//! Differences that cannot alter behaviour.
//!
//! The rules argue from the run that was recorded: the same steps happen again until one of them
//! meets a difference. They assume that nobody looks at what a class declares (by reflection, by
//! name from native code, through proxies, mocks or serialization), at stack traces, at computed
//! serial versions, or at the kind of a link error: whoever does must take an excused change for a
//! change.

use std::collections::HashSet;

use tamis_classfile::{ClassFile, Constant, Result, access, opcode};

use crate::change::{Kind, MemberChange};
use crate::constants::Names;
use crate::names::named;
use crate::{Before, MemberPrint};

const VOLATILE: u16 = 0x0040;
const TRANSIENT: u16 = 0x0080;

/// Kinds of method handles that set a field (table 5.4.3.5-A).
const PUT_FIELD: u8 = 3;
const PUT_STATIC: u8 = 4;

/// Fields that serialization looks for.
const SERIAL_FIELDS: &[&[u8]] = &[b"serialPersistentFields", b"serialVersionUID"];

/// Methods that serialization looks for, and those of `Object`, whose names mean something to the
/// JVM wherever they are declared.
const SPECIAL_METHODS: &[&[u8]] = &[
    b"$deserializeLambda$",
    b"clone",
    b"equals",
    b"finalize",
    b"getClass",
    b"hashCode",
    b"notify",
    b"notifyAll",
    b"readObject",
    b"readObjectNoData",
    b"readResolve",
    b"registerNatives",
    b"toString",
    b"wait",
    b"wait0",
    b"writeObject",
    b"writeReplace",
];

named! {
    /// A reason why a difference cannot alter behaviour.
    pub enum Rule {
        /// Only the exceptions that a method declares differ. The JVM does not read them (section
        /// 4.7.5); which exception is caught where stands in code.
        Throws = "throws",
        /// Only `final` differs, where the JVM asks for it in vain:
        ///
        /// - Of a static or private method of a class: it can be neither overridden nor keep others
        ///   from overriding (sections 4.10.1 and 5.4.5); a static one is found by its name
        ///   alone.
        /// - Of a private field of a class without nest mates: only code of this class can assign
        ///   it. No code does outside the initializer, so no instruction becomes legal or illegal, and
        ///   no code has the name as a text, to assign it through a handle.
        ///   A field of objects may only become `final`: without it, other threads may see an
        ///   object before its fields are set.
        Final = "final",
        /// A private field was added or removed.
        ///
        /// Added to a class that extends `Object` and implements nothing: a reference that finds
        /// it now found no field before, since resolution of a subclass's reference looks here
        /// last (section 5.4.3.2). So whatever uses it has changed.
        ///
        /// Removed from a class without nest mates whose code does not mention its name: only this
        /// class could use it, so whatever used it has changed. What serialization writes stays
        /// only if the field was static or transient, or if the class is not serializable.
        PrivateField = "private-field",
        /// A private method was removed from a class without nest mates whose code does not mention
        /// its name: only this class could call it, so whatever called it has changed. (There is no
        /// such rule for added ones: a private method is found before a default method that a
        /// subclass inherits from an interface, section 5.4.3.3, and code that nobody calls is
        /// still verified, which can load classes.) Not of interfaces: whether one declares a
        /// method with code decides when it is initialized (section 5.5).
        RemovedPrivateMethod = "removed-private-method",
        /// A private method has another name, everywhere in its class, and nothing else differs: the
        /// methods of the class with their old names are those that were recorded. Nothing is renamed
        /// if the class has one of the names as a text.
        ///
        /// Only in classes without nest mates: one whose code stays the same can mean another
        /// method by the same name, when two change their names. A name that is new to the class
        /// must not hide an inherited one from code that names this class or a subclass: the class
        /// is final, extends `Object` or `Record` and implements nothing, or another of its private
        /// methods had the name.
        Renamed = "renamed",
        /// The same for private methods that are synthetic, in every class: what compilers make of
        /// lambdas, which are numbered. No source can name them, so compilers refer to them in their
        /// own class alone. (A class has the names of its serializable lambdas as texts.)
        RenamedSynthetic = "renamed-synthetic",
    }
}

impl Rule {
    /// The rule under which `method` is renamed.
    pub(crate) fn renaming(method: &MemberPrint<'_>) -> Rule {
        if method.access & access::SYNTHETIC != 0 {
            Rule::RenamedSynthetic
        } else {
            Rule::Renamed
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of rules; by default all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules(u8);

impl Rules {
    /// Every difference counts.
    pub const NONE: Rules = Rules(0);

    /// The set without `rule`.
    pub fn without(self, rule: Rule) -> Rules {
        Rules(self.0 & !rule.bit())
    }

    /// Whether `rule` is in the set.
    pub fn contains(self, rule: Rule) -> bool {
        self.0 & rule.bit() != 0
    }
}

impl Default for Rules {
    fn default() -> Self {
        Rules(Rule::ALL.iter().fold(0, |bits, rule| bits | rule.bit()))
    }
}

/// Finds the rules for the changes of one class, renaming apart.
pub(crate) struct Excuses<'a> {
    rules: Rules,
    is_interface: bool,
    has_nest_mates: bool,
    is_plain: bool,
    /// The texts in code, by which it may find members.
    texts: HashSet<&'a [u8]>,
    /// The names of what the class refers to; a method that is renamed is not meant by its name.
    mentioned: HashSet<&'a [u8]>,
    /// The fields that are assigned, and in which methods.
    assigned: HashSet<Assignment<'a>>,
}

/// Name and descriptor of a field, and the name of an initializer that assigns it; no name for
/// other methods.
type Assignment<'a> = (&'a [u8], &'a [u8], &'a [u8]);

impl<'a> Excuses<'a> {
    /// `names` are those of renamed methods.
    pub(crate) fn new(class: &ClassFile<'a>, names: &Names<'a>, rules: Rules) -> Result<Self> {
        let mut excuses = Excuses {
            rules,
            is_interface: class.access & access::INTERFACE != 0,
            has_nest_mates: has_nest_mates(class)?,
            is_plain: is_plain(class)?,
            texts: HashSet::new(),
            mentioned: HashSet::new(),
            assigned: HashSet::new(),
        };
        excuses.read_pool(class, names)?;
        excuses.read_assignments(class)?;
        Ok(excuses)
    }

    fn read_pool(&mut self, class: &ClassFile<'a>, names: &Names<'a>) -> Result<()> {
        let pool = &class.pool;
        for (index, constant) in pool.iter() {
            match constant? {
                Constant::String { utf8 } => {
                    self.texts.insert(pool.utf8(utf8)?);
                }
                Constant::NameAndType { .. } => {
                    let key = pool.name_and_type(index)?;
                    if !names.contains_key(&key) {
                        self.mentioned.insert(key.0);
                    }
                }
                Constant::MethodHandle {
                    kind: PUT_FIELD | PUT_STATIC,
                    reference,
                } => self.read_assignment(class, reference, b"")?,
                _ => {}
            }
        }
        Ok(())
    }

    fn read_assignments(&mut self, class: &ClassFile<'a>) -> Result<()> {
        for method in class.methods() {
            let method = method?;
            let name = class.pool.utf8(method.name)?;
            let initializer = if name.starts_with(b"<") { name } else { b"" };
            let Some(code) = class.code(&method)? else {
                continue;
            };
            for instruction in code.instructions() {
                let instruction = instruction?;
                if let (opcode::PUTFIELD | opcode::PUTSTATIC, Some(index)) =
                    (instruction.opcode, instruction.constant())
                {
                    self.read_assignment(class, index, initializer)?;
                }
            }
        }
        Ok(())
    }

    fn read_assignment(
        &mut self,
        class: &ClassFile<'a>,
        field: u16,
        initializer: &'a [u8],
    ) -> Result<()> {
        if let Constant::Field { name_and_type, .. } = class.pool.get(field)? {
            let (name, descriptor) = class.pool.name_and_type(name_and_type)?;
            self.assigned.insert((name, descriptor, initializer));
        }
        Ok(())
    }

    pub(crate) fn of(&self, change: &MemberChange) -> Option<Rule> {
        let rule = match (change.before, change.now_access) {
            (Some(before), Some(now)) => self.changed(change, before, now),
            (None, Some(now)) => self.added(change, now),
            (Some(before), None) => self.removed(change, before),
            (None, None) => None,
        };
        rule.filter(|&rule| self.rules.contains(rule))
    }

    fn changed(&self, change: &MemberChange, before: Before, now: u16) -> Option<Rule> {
        let differs = (change.flags, change.thrown, change.mirror || change.body);
        match differs {
            (false, true, false) => Some(Rule::Throws),
            (true, false, false) if before.access ^ now == access::FINAL => {
                self.is_final_void(change, now).then_some(Rule::Final)
            }
            _ => None,
        }
    }

    fn is_final_void(&self, change: &MemberChange, now: u16) -> bool {
        let is = |flag: u16| now & flag != 0;
        let assigned_by_others = |other_initializer: &[u8]| {
            [b"", other_initializer].iter().any(|by| {
                let assignment = (&*change.name, &*change.descriptor, *by);
                self.assigned.contains(&assignment)
            })
        };
        match change.kind {
            _ if self.is_interface => false,
            Kind::Csm => true,
            Kind::Cim => is(access::PRIVATE),
            Kind::Cfd => {
                let is_known = is(access::PRIVATE)
                    && !is(VOLATILE)
                    && !self.has_nest_mates
                    && !self.texts.contains(&*change.name);
                is_known
                    && match is(access::STATIC) {
                        true => !assigned_by_others(b"<init>"),
                        false => is(access::FINAL) && !assigned_by_others(b"<clinit>"),
                    }
            }
            _ => false,
        }
    }

    fn added(&self, change: &MemberChange, access: u16) -> Option<Rule> {
        let counts = access & access::PRIVATE == 0 || SERIAL_FIELDS.contains(&&*change.name);
        (change.kind == Kind::Afd && self.is_plain && !counts).then_some(Rule::PrivateField)
    }

    fn removed(&self, change: &MemberChange, before: Before) -> Option<Rule> {
        let is = |flags: u16| before.access & flags != 0;
        let name = &*change.name;
        if !is(access::PRIVATE)
            || self.is_interface
            || self.has_nest_mates
            || self.texts.contains(name)
            || self.mentioned.contains(name)
        {
            return None;
        }
        let is_serialized = !self.is_plain && !is(access::STATIC | TRANSIENT);
        match change.kind {
            Kind::Dfd if !is_serialized && !SERIAL_FIELDS.contains(&name) => {
                Some(Rule::PrivateField)
            }
            Kind::Dsm | Kind::Dim if !is_special(name) => Some(Rule::RemovedPrivateMethod),
            _ => None,
        }
    }
}

/// Whether the name of a method means something to the JVM or to serialization.
pub(crate) fn is_special(name: &[u8]) -> bool {
    name.starts_with(b"<") || SPECIAL_METHODS.contains(&name)
}

/// Whether other classes may have access to private members.
pub(crate) fn has_nest_mates(class: &ClassFile<'_>) -> Result<bool> {
    Ok(class.find(class.attributes(), b"NestHost")?.is_some()
        || class.find(class.attributes(), b"NestMembers")?.is_some())
}

/// Whether it is a class that extends `Object` and implements nothing.
fn is_plain(class: &ClassFile<'_>) -> Result<bool> {
    Ok(class.access & access::INTERFACE == 0
        && class.super_name()? == Some(b"java/lang/Object")
        && class.interface_names().next().is_none())
}

/// Whether no reference that names the class or a subclass can find a member that the class does
/// not declare, except methods of `Object`.
pub(crate) fn inherits_nothing(class: &ClassFile<'_>) -> Result<bool> {
    let is_record = class.super_name()? == Some(b"java/lang/Record");
    Ok(class.access & access::FINAL != 0
        && (is_plain(class)? || is_record && class.interface_names().next().is_none()))
}
