//! The calls that find something by its name, and where in the call the name stands.

use super::types::{Signature, Type};
use super::{Reach, Target};

/// How a call asks for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) target: Target,
    /// The class that is asked; `None` if there is none.
    pub(super) on: Option<Place>,
    pub(super) name: Place,
}

/// Where a value of a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Receiver,
    Argument(usize),
    /// The name of constructors, which no call gives.
    Constructor,
    /// Nowhere: the call asks for all there are, or for what nobody can say.
    Anything,
}

/// What the call of this method asks for, if it does.
pub(super) fn question(owner: &[u8], name: &[u8], descriptor: &[u8]) -> Option<Question> {
    match owner {
        b"java/lang/Class" => of_class(name, descriptor),
        b"java/lang/invoke/MethodHandles$Lookup" => of_handles(name, descriptor),
        // The classes of a descriptor.
        b"java/lang/invoke/MethodType" if name == b"fromMethodDescriptorString" => {
            ask(Target::Class, None, Place::Anything)
        }
        b"java/util/ServiceLoader" if matches!(name, b"load" | b"loadInstalled") => {
            ask(Target::Service, None, argument(descriptor, Type::Class))
        }
        b"java/util/ResourceBundle" if name == b"getBundle" => {
            ask(Target::Bundle, None, argument(descriptor, Type::Text))
        }
        _ if name == b"newUpdater" && owner.starts_with(b"java/util/concurrent/atomic/") => ask(
            Target::Field(Reach::Declared),
            Some(argument(descriptor, Type::Class)),
            argument(descriptor, Type::Text),
        ),
        // Any class may inherit these.
        _ => of_loader(name, descriptor),
    }
}

fn ask(target: Target, on: Option<Place>, name: Place) -> Option<Question> {
    Some(Question { target, on, name })
}

/// The first argument of this type.
fn argument(descriptor: &[u8], kind: Type) -> Place {
    let position = Signature::of(descriptor).and_then(|signature| signature.first(kind));
    position.map_or(Place::Anything, Place::Argument)
}

fn of_class(name: &[u8], descriptor: &[u8]) -> Option<Question> {
    use Reach::{Declared, Public};
    let text = || argument(descriptor, Type::Text);
    let (target, name) = match name {
        b"forName" => return ask(Target::Class, None, text()),
        b"getMethod" => (Target::Method(Public), text()),
        b"getDeclaredMethod" => (Target::Method(Declared), text()),
        b"getField" => (Target::Field(Public), text()),
        b"getDeclaredField" => (Target::Field(Declared), text()),
        b"getConstructor" | b"getConstructors" => (Target::Constructor(Public), Place::Constructor),
        b"getDeclaredConstructor" | b"getDeclaredConstructors" | b"newInstance" => {
            (Target::Constructor(Declared), Place::Constructor)
        }
        b"getMethods" => (Target::Method(Public), Place::Anything),
        b"getDeclaredMethods" => (Target::Method(Declared), Place::Anything),
        b"getFields" => (Target::Field(Public), Place::Anything),
        b"getDeclaredFields" => (Target::Field(Declared), Place::Anything),
        b"getResource" | b"getResourceAsStream" => (Target::Resource, text()),
        _ => return None,
    };
    ask(target, Some(Place::Receiver), name)
}

fn of_handles(name: &[u8], descriptor: &[u8]) -> Option<Question> {
    let text = || argument(descriptor, Type::Text);
    let target = match name {
        b"findClass" => return ask(Target::Class, None, text()),
        b"findVirtual" | b"findStatic" | b"findSpecial" => Target::Method(Reach::Handle),
        // The class is that of an object.
        b"bind" => {
            let on = Some(Place::Anything);
            return ask(Target::Method(Reach::Handle), on, text());
        }
        b"findConstructor" => Target::Constructor(Reach::Handle),
        b"findGetter"
        | b"findSetter"
        | b"findStaticGetter"
        | b"findStaticSetter"
        | b"findVarHandle"
        | b"findStaticVarHandle" => Target::Field(Reach::Handle),
        _ => return None,
    };
    let name = match target {
        Target::Constructor(_) => Place::Constructor,
        _ => text(),
    };
    ask(target, Some(argument(descriptor, Type::Class)), name)
}

fn of_loader(name: &[u8], descriptor: &[u8]) -> Option<Question> {
    let results: &[&[u8]] = match name {
        b"loadClass" | b"findClass" | b"findSystemClass" | b"findLoadedClass" => {
            &[b"Ljava/lang/Class;"]
        }
        b"getResource"
        | b"getResourceAsStream"
        | b"getResources"
        | b"resources"
        | b"getSystemResource"
        | b"getSystemResourceAsStream"
        | b"getSystemResources"
        | b"findResource"
        | b"findResources" => &[
            b"Ljava/io/InputStream;",
            b"Ljava/net/URL;",
            b"Ljava/util/Enumeration;",
            b"Ljava/util/stream/Stream;",
        ],
        _ => return None,
    };
    let is_result = |result: &&[u8]| descriptor.ends_with(result);
    let Place::Argument(text) = argument(descriptor, Type::Text) else {
        return None;
    };
    let target = match results.len() {
        1 => Target::Class,
        _ => Target::Resource,
    };
    let is_question = results.iter().any(is_result);
    is_question
        .then(|| ask(target, None, Place::Argument(text)))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(call: (&str, &str, &str), expected: Option<(Target, Option<Place>, Place)>) {
        let (owner, name, descriptor) = call;
        let found = question(owner.as_bytes(), name.as_bytes(), descriptor.as_bytes());
        let expected = expected.map(|(target, on, name)| Question { target, on, name });
        assert_eq!(found, expected, "{call:?}");
    }

    #[test]
    fn a_call_asks_for_what_its_arguments_say() {
        use Place::*;
        let forms = [
            "(Ljava/lang/String;)Ljava/lang/Class;",
            "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;",
        ];
        for form in forms {
            let class = Some((Target::Class, None, Argument(0)));
            check(("java/lang/Class", "forName", form), class);
        }
        let form = "(Ljava/lang/Module;Ljava/lang/String;)Ljava/lang/Class;";
        let class = Some((Target::Class, None, Argument(1)));
        check(("java/lang/Class", "forName", form), class);
        let updater = "java/util/concurrent/atomic/AtomicReferenceFieldUpdater";
        let form = "(Ljava/lang/Class;Ljava/lang/Class;Ljava/lang/String;)Lu/U;";
        let field = Target::Field(Reach::Declared);
        let expected = Some((field, Some(Argument(0)), Argument(2)));
        check((updater, "newUpdater", form), expected);
        let form = "(Ljava/lang/ModuleLayer;Ljava/lang/Class;)Ljava/util/ServiceLoader;";
        let service = Some((Target::Service, None, Argument(1)));
        check(("java/util/ServiceLoader", "load", form), service);
    }

    #[test]
    fn any_class_may_inherit_what_loaders_offer() {
        let form = "(Ljava/lang/String;)Ljava/lang/Class;";
        let class = Some((Target::Class, None, Place::Argument(0)));
        check(("acme/Loader", "loadClass", form), class);
        let form = "(Ljava/lang/String;)Ljava/net/URL;";
        let resource = Some((Target::Resource, None, Place::Argument(0)));
        check(("acme/Loader", "getResource", form), resource);
        check(("acme/Loader", "loadClass", "(I)Ljava/lang/Class;"), None);
        check(("acme/Store", "getResource", "(I)Lacme/Resource;"), None);
        let form = "(Ljava/lang/String;)Lacme/Resource;";
        check(("acme/Store", "getResource", form), None);
    }

    #[test]
    fn other_calls_ask_for_nothing() {
        let form = "()Ljava/lang/String;";
        check(("java/lang/Class", "getName", form), None);
        check(("acme/Class", "getMethod", "(Ljava/lang/String;)V"), None);
    }
}
