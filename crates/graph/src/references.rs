//! What each reference of code can mean in a member graph.

use crate::nodes::{Flag, Node, Numbers, Of};
use crate::outside::Outside;
use crate::program::{DEEPEST, Program};
use crate::rules::MemberRules;
use std::collections::HashMap;
use tamis_classfile::access;
use tamis_code::references::{ReflectionKind, reflection_kinds};
use tamis_snapshot::{Invoke, Reference};

/// Where a reference leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Node(Node),
    /// A call whose object decides what runs, by its number.
    Virtual(u32),
    /// A lambda that runs once its method is called, by its number.
    Lambda(u32),
}

/// A lambda whose interface and all above it are the project's: nobody else calls its method.
#[derive(Debug)]
pub(crate) struct Waiting<'s> {
    /// The name of that method.
    pub(crate) method: &'s str,
    /// Where its body leads.
    pub(crate) body: Vec<Target>,
}

/// A call whose object decides what runs.
#[derive(Debug)]
pub(crate) struct VirtualCall<'s> {
    /// The name of the method.
    pub(crate) name: &'s str,
    /// The classes whose objects it can be, each with the method that runs on them.
    pub(crate) receivers: Vec<(u32, u32)>,
    /// The method that the call means by itself, which may be abstract.
    pub(crate) named: Option<u32>,
}

/// Finds out what references mean.
pub(crate) struct Resolver<'r, 's> {
    pub(crate) program: &'r Program<'s>,
    pub(crate) numbers: Numbers,
    pub(crate) texts: &'r HashMap<&'s str, u32>,
    pub(crate) outside: &'r dyn Outside,
    pub(crate) rules: MemberRules,
    pub(crate) virtual_calls: Vec<VirtualCall<'s>>,
    pub(crate) lambdas: Vec<Waiting<'s>>,
    pub(crate) by_key: HashMap<(u32, u32), u32>,
}

impl<'s> Resolver<'_, 's> {
    pub(crate) fn targets(&mut self, reference: Reference<'s>, out: &mut Vec<Target>) {
        let number = |name: &str| self.program.numbers.get(name).copied();
        let of_type = |name: &str, of: Of| {
            let number = number(name)?;
            Some(Target::Node(self.numbers.of_type(number, of)))
        };
        match reference {
            Reference::Type(class) => out.extend(of_type(class, Of::Use)),
            Reference::Check(class) => out.extend(of_type(class, Of::Head)),
            Reference::New(class) => out.extend(of_type(class, Of::Object)),
            Reference::Literal(class) => out.extend(of_type(class, Of::Name)),
            Reference::Text(text) => {
                if self.rules.reflection.is_some()
                    && let Some(number) = self.texts.get(text)
                {
                    out.push(Target::Node(self.numbers.text(*number)));
                }
                // Reflection may be found by reflection.
                let kinds = reflection_kinds(b"java/lang/Class", text.as_bytes());
                if self.rules.reflection.is_some() && kinds.contains(&ReflectionKind::Members) {
                    out.push(Target::Node(self.numbers.flag(Flag::SeesMembers)));
                }
            }
            Reference::Field {
                class,
                name,
                descriptor,
            } => {
                let field = number(class).and_then(|class| self.named(class, name, descriptor));
                self.member(field, out);
            }
            Reference::Call {
                class,
                name,
                descriptor,
                invoke,
            } => match number(class) {
                Some(number) => self.call(number, name, descriptor, invoke, out),
                None => self.call_outside(class, name, descriptor, out),
            },
            Reference::Lambda {
                interface,
                method,
                class,
                name,
                descriptor,
            } => {
                let mut body = Vec::new();
                let call = Reference::Call {
                    class,
                    name,
                    descriptor,
                    invoke: Invoke::Handle,
                };
                self.targets(call, &mut body);
                if self.rules.binding && self.program.is_only_called_here(interface) {
                    out.push(Target::Lambda(self.lambdas.len() as u32));
                    self.lambdas.push(Waiting { method, body });
                } else {
                    out.append(&mut body);
                }
            }
            // The call through it comes, too.
            Reference::Handle { .. } => {}
        }
    }

    /// The member that a name means; without rule 2 only one that the class itself declares.
    fn named(&self, class: u32, name: &str, descriptor: &str) -> Option<u32> {
        match self.rules.binding {
            true => self.program.resolve(class, name, descriptor),
            false => self.program.declared_member(class, name, descriptor),
        }
    }

    fn member(&self, id: Option<u32>, out: &mut Vec<Target>) {
        out.extend(id.map(|id| Target::Node(self.numbers.member(id))));
    }

    fn call(
        &mut self,
        class: u32,
        name: &'s str,
        descriptor: &str,
        invoke: Invoke,
        out: &mut Vec<Target>,
    ) {
        let named = self.named(class, name, descriptor);
        let is_static = |id: u32| {
            let member = self.program.members.get(id as usize);
            // Of private ones the class that the call names counts.
            let fixed = access::STATIC | access::PRIVATE;
            member.is_some_and(|member| member.is(fixed) || member.name == "<init>")
        };
        let is_fixed = match invoke {
            Invoke::Static | Invoke::Special => true,
            Invoke::Virtual | Invoke::Handle => named.is_some_and(is_static),
        };
        if name == "<init>" && invoke == Invoke::Handle {
            out.push(Target::Node(self.numbers.of_type(class, Of::Object)));
        }
        if invoke == Invoke::Static {
            out.push(Target::Node(self.numbers.of_type(class, Of::Use)));
        }
        if named.is_none() && name != "<init>" {
            // It is inherited from a type outside.
            for outside in self.program.outside_above(class) {
                self.call_outside(outside, name, descriptor, out);
            }
        }
        if is_fixed || !self.rules.binding {
            self.member(named, out);
            return;
        }
        let Some(selector) = self.program.selector(name, descriptor) else {
            return;
        };
        let key = (class, selector);
        let number = match self.by_key.get(&key) {
            Some(number) => *number,
            None => {
                let call = self.virtual_call(name, key, named);
                self.virtual_calls.push(call);
                let number = self.virtual_calls.len() as u32 - 1;
                self.by_key.insert(key, number);
                number
            }
        };
        out.push(Target::Virtual(number));
    }

    fn virtual_call(&self, name: &'s str, key: (u32, u32), named: Option<u32>) -> VirtualCall<'s> {
        let (class, selector) = key;
        let below = self.program.below(class).into_iter();
        let receivers = below.filter(|number| self.can_have_objects(*number));
        let receivers = receivers.flat_map(|number| {
            let method = self.program.implementation(number, selector);
            let hidden = named.map(|named| self.hidden(named, number));
            let methods = method.into_iter().chain(hidden.into_iter().flatten());
            methods.map(move |method| (number, method))
        });
        VirtualCall {
            name,
            receivers: receivers.collect(),
            named,
        }
    }

    /// Methods that may run on objects of a subclass although it has one of the same name and descriptor: what only its
    /// own package sees is not overridden from another one.
    fn hidden(&self, method: u32, below: u32) -> Vec<u32> {
        let Some(member) = self.program.members.get(method as usize) else {
            return Vec::new();
        };
        if member.is(access::PUBLIC | access::PROTECTED) {
            return Vec::new();
        }
        let (mut hidden, mut class) = (Vec::new(), below);
        for _ in 0..DEEPEST {
            let declared = self
                .program
                .declared_member(class, member.name, member.descriptor);
            hidden.extend(declared);
            let above = self.program.super_class(class);
            let Some(above) = above.filter(|_| class != member.class) else {
                break;
            };
            class = above;
        }
        let package = |method: &u32| {
            let class = self.program.members.get(*method as usize).map(|m| m.class);
            let name = class.map_or("", |class| self.program.name(class));
            name.rfind('/').and_then(|slash| name.get(..slash))
        };
        if hidden
            .iter()
            .all(|other| package(other) == package(&method))
        {
            hidden.clear();
        }
        hidden
    }

    fn can_have_objects(&self, number: u32) -> bool {
        let ty = self.program.types.get(number as usize);
        let facts = ty.and_then(|ty| ty.facts);
        // A lambda is an object of its interface.
        let is_kind =
            |access: u16| access & access::INTERFACE != 0 || access & access::ABSTRACT == 0;
        facts.is_none_or(|facts| is_kind(facts.access()))
    }

    /// What a call can do that leaves the project.
    fn call_outside(&self, class: &str, name: &str, descriptor: &str, out: &mut Vec<Target>) {
        if self.rules.reflection.is_none() {
            return;
        }
        let mut flag = |flag: Flag| out.push(Target::Node(self.numbers.flag(flag)));
        match reflection(class, name) {
            Some(found) => flag(found),
            None if uses_a_member(class, name) => flag(Flag::UsesMembers),
            None => {
                let kinds = reflection_kinds(class.as_bytes(), name.as_bytes());
                if kinds.contains(&ReflectionKind::Packages) {
                    flag(Flag::SeesPackages);
                }
                if kinds.contains(&ReflectionKind::Members)
                    || kinds.contains(&ReflectionKind::Unlogged)
                {
                    flag(Flag::SeesMembers);
                    flag(Flag::MakesObjects);
                }
            }
        }
        // It may look into whatever it gets; what links calls of another language may call anything by its name.
        let links = descriptor.starts_with("(Ljava/lang/invoke/MethodHandles$Lookup;")
            && !class.starts_with("java/lang/");
        if links || self.outside.reflects(class) && takes_anything(descriptor) {
            flag(Flag::SeesMembers);
            flag(Flag::MakesObjects);
        }
    }
}

/// What the calls of the JDK do that MEST's rule 1 knows.
fn reflection(class: &str, name: &str) -> Option<Flag> {
    match class {
        "java/lang/Class" => match name {
            "getMethod" | "getDeclaredMethod" | "getField" | "getDeclaredField" => {
                Some(Flag::LooksForNames)
            }
            "newInstance"
            | "getConstructor"
            | "getDeclaredConstructor"
            | "getConstructors"
            | "getDeclaredConstructors" => Some(Flag::MakesObjects),
            "forName" | "getEnumConstants" => Some(Flag::Initializes),
            _ => None,
        },
        "java/lang/reflect/Constructor" if name == "newInstance" => Some(Flag::MakesObjects),
        "java/lang/invoke/MethodHandles$Lookup" => match name {
            "findConstructor" => Some(Flag::MakesObjects),
            "findClass" | "ensureInitialized" => Some(Flag::Initializes),
            _ if name.starts_with("find") => Some(Flag::LooksForNames),
            _ => None,
        },
        "java/lang/Enum" if name == "valueOf" => Some(Flag::Initializes),
        "java/util/EnumSet" | "java/util/EnumMap" => Some(Flag::Initializes),
        "sun/misc/Unsafe" => match name {
            "allocateInstance" => Some(Flag::MakesObjects),
            "ensureClassInitialized" => Some(Flag::Initializes),
            _ => None,
        },
        "java/util/ServiceLoader" => Some(Flag::MakesObjects),
        _ if name == "newUpdater" => Some(Flag::LooksForNames),
        _ => None,
    }
}

/// Whether a call uses a member that somebody has looked for, and shows nothing else of it.
fn uses_a_member(class: &str, name: &str) -> bool {
    match class {
        "java/lang/reflect/Method" => {
            ["invoke", "setAccessible", "trySetAccessible"].contains(&name)
        }
        "java/lang/reflect/Field" => {
            let value = name.strip_prefix("get").or(name.strip_prefix("set"));
            let value = value.is_some_and(|value| VALUES.contains(&value));
            value || ["setAccessible", "trySetAccessible"].contains(&name)
        }
        "java/lang/reflect/Constructor" => ["setAccessible", "trySetAccessible"].contains(&name),
        "java/lang/invoke/MethodHandle" => name.starts_with("invoke"),
        _ => false,
    }
}

/// What follows `get` and `set` in the names of methods that read and write fields.
const VALUES: [&str; 9] = [
    "", "Boolean", "Byte", "Char", "Double", "Float", "Int", "Long", "Short",
];

/// Whether a method can be given objects of any class, or classes.
fn takes_anything(descriptor: &str) -> bool {
    let parameters = descriptor.split(')').next().unwrap_or_default();
    [
        "Ljava/lang/Object;",
        "Ljava/lang/Class;",
        "Ljava/lang/reflect/Type;",
    ]
    .iter()
    .any(|any| parameters.contains(any))
}
