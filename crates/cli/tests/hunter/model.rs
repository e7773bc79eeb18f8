//! Programs of the hunter: a small part of Java.
//!
//! Everything computes an `int`. Programs are deterministic and always end:
//! - the code of a type names only types that stand before it, so that initializers never wait for
//!   each other and a call only goes up through an object that was handed down;
//! - the number in the name of an instance method is its level: a method calls methods of its own
//!   object of lower levels only;
//! - nothing changes an object or a static field after it was initialized, but for idioms with state
//!   and what base classes of tests cache.

/// What it is that a file, or a nested class, declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Class,
    Interface,
    Enum,
    Record,
    Annotation,
}

/// Who may use it, from most to least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Public,
    Protected,
    Package,
    Private,
}

/// `@name(value)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) name: String,
    pub(crate) value: i32,
}

#[derive(Debug, Clone)]
pub(crate) struct Type {
    /// `C1`, or `C1.C2` for a class nested in `C1`.
    pub(crate) name: String,
    /// The number of its package in those of the program; that of its outer class counts.
    pub(crate) package: usize,
    pub(crate) kind: Kind,
    pub(crate) is_abstract: bool,
    pub(crate) is_final: bool,
    pub(crate) is_public: bool,
    /// One of the types before it, or `RuntimeException`.
    pub(crate) superclass: Option<String>,
    pub(crate) interfaces: Vec<String>,
    pub(crate) notes: Vec<Note>,
    /// The constants of an enum, those with a body have methods; the components of a record.
    pub(crate) constants: Vec<(String, Vec<Method>)>,
    pub(crate) fields: Vec<Field>,
    pub(crate) constructors: Vec<Constructor>,
    pub(crate) methods: Vec<Method>,
}

#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// A compile-time constant.
    Constant(i32),
    /// Static, computed by the initializer.
    Computed(Expr),
    /// A static object of that type.
    Object(String, Obj),
    /// Of every object.
    Instance(Expr),
    /// A number that nothing initializes, of the class or of every object.
    Unset(bool),
}

#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) access: Access,
    pub(crate) is_final: bool,
    pub(crate) notes: Vec<Note>,
    pub(crate) value: Value,
}

impl Field {
    pub(crate) fn is_static(&self) -> bool {
        !matches!(self.value, Value::Instance(_) | Value::Unset(false))
    }
}

/// The type of the parameter that takes a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Int,
    Long,
    Integer,
    Object,
    Many,
}

pub(crate) const TAKES: [Takes; 5] = [
    Takes::Int,
    Takes::Long,
    Takes::Integer,
    Takes::Object,
    Takes::Many,
];

#[derive(Debug, Clone)]
pub(crate) struct Constructor {
    pub(crate) takes: Takes,
    /// What it hands to the constructor of the superclass.
    pub(crate) up: Expr,
    /// Computed and thrown away.
    pub(crate) also: Option<Expr>,
}

/// Methods of these names are called by the JDK. The last one belongs to [`OPERATOR`].
pub(crate) const OF_JDK: [&str; 4] = ["toString", "hashCode", "getMessage", "applyAsInt"];

/// A type of the JDK that classes implement.
pub(crate) const OPERATOR: &str = "java.util.function.IntUnaryOperator";

#[derive(Debug, Clone)]
pub(crate) struct Method {
    pub(crate) name: String,
    pub(crate) access: Access,
    pub(crate) is_static: bool,
    pub(crate) is_final: bool,
    pub(crate) is_synchronized: bool,
    pub(crate) throws: bool,
    pub(crate) notes: Vec<Note>,
    pub(crate) takes: Takes,
    /// The type of a second parameter, an object, and whether it is a type variable.
    pub(crate) object: Option<(String, bool)>,
    /// The type of the object that it returns instead of a number.
    pub(crate) makes: Option<(String, Obj)>,
    /// Absent of an abstract method.
    pub(crate) body: Option<Body>,
}

impl Method {
    pub(crate) fn is_of_jdk(&self) -> bool {
        OF_JDK.contains(&self.name.as_str())
    }

    /// What it may call of its own object: levels below this one.
    pub(crate) fn level(&self) -> u32 {
        level(&self.name)
    }
}

/// The number at the end of the name.
pub(crate) fn level(name: &str) -> u32 {
    let digits = name.rsplit(|c: char| !c.is_ascii_digit()).next();
    digits.and_then(|text| text.parse().ok()).unwrap_or(0)
}

#[derive(Debug, Clone)]
pub(crate) struct Body {
    pub(crate) statements: Vec<Statement>,
    pub(crate) result: Expr,
}

/// `v` is the number that a body works on; at first it is the argument.
#[derive(Debug, Clone)]
pub(crate) enum Statement {
    Add(Expr),
    /// `if (a > n) v += b; else v += c;`
    If(Expr, i32, Expr, Expr),
    Return(i32, Expr),
    /// An exception of that type, for one value.
    Throw(i32, String),
    /// With the type that is caught, and what is done then.
    Try(Expr, String, Expr),
    Strings(Vec<Expr>),
    /// Over an enum, with some of its constants.
    Constants(Obj, Vec<(String, Expr)>),
    /// Twice.
    Loop(Expr),
    /// A local class with a method of its own.
    Local(Option<String>, Box<Method>),
}

#[derive(Debug, Clone)]
pub(crate) enum Expr {
    Number(i32),
    V,
    /// A field of the own object.
    Field(String),
    Static(String, String),
    Plus(Box<Expr>, Box<Expr>),
    Less(Box<Expr>, Box<Expr>, Box<Expr>),
    Divide(Box<Expr>, Box<Expr>),
    Long(Box<Expr>),
    Boxed(Box<Expr>),
    CallStatic(String, String, Box<Expr>),
    /// A static method that takes an object.
    Hand(String, String, Box<Obj>, Box<Expr>),
    Call(Box<Obj>, String, Box<Expr>),
    CallSelf(String, Box<Expr>),
    /// Of the superclass, or of the interface that is named.
    CallSuper(Option<String>, String, Box<Expr>),
    /// A field of another object.
    FieldOf(Box<Obj>, String),
    Is(Box<Obj>, String),
    /// Whether arrays of one type are arrays of another.
    AreArrays(String, String),
    /// The JDK calls an [`OPERATOR`].
    Stream(Box<Obj>, Box<Expr>),
    Text(Box<Obj>),
    Hash(Box<Obj>),
    Ordinal(Box<Obj>),
    Count(String),
    /// An `IntUnaryOperator`.
    Lambda(Box<Expr>, Box<Expr>),
    Reference(String, String, Box<Expr>),
    ReferenceTo(Box<Obj>, String, Box<Expr>),
    Elements(String, Vec<Obj>, String, Box<Expr>),
    Literal(String),
    Component(Box<Obj>, String),
    /// A method of an idiom.
    Idiom(String, usize, Box<Expr>),
}

#[derive(Debug, Clone)]
pub(crate) enum Obj {
    New(String, Vec<Expr>),
    Static(String, String),
    Constant(String, String),
    /// The parameter of the method.
    Given,
    Cast(String, Box<Obj>),
    Anonymous(String, Expr, Vec<Method>),
    Lambda(String, Expr),
    Reference(String, String, String),
    Made(Box<Obj>, String, Box<Expr>),
}

/// What a statement of a test puts out.
#[derive(Debug, Clone)]
pub(crate) enum Check {
    Value(Expr),
    /// The same; of an exception, the method that threw it.
    Trace(Expr),
    /// What reflection shows of a type, see `print`.
    Reflection(usize, String),
    /// A method of an idiom.
    Idiom(String, usize),
}

#[derive(Debug, Clone)]
pub(crate) struct Test {
    pub(crate) name: String,
    pub(crate) is_ignored: bool,
    pub(crate) checks: Vec<Check>,
    /// It fails if the checksum of its output is a multiple of this.
    pub(crate) fails: Option<u32>,
}

/// A class of tests. One that is abstract is a superclass of others and is not run.
#[derive(Debug, Clone)]
pub(crate) struct TestClass {
    pub(crate) name: String,
    pub(crate) is_abstract: bool,
    pub(crate) base: Option<String>,
    pub(crate) before: Option<Expr>,
    pub(crate) before_class: Option<Expr>,
    /// What a superclass of tests computes once, and caches in a static field for all of them.
    pub(crate) cached: Option<Expr>,
    /// The idiom whose extension or class rule it has.
    pub(crate) shares: Option<String>,
    pub(crate) tests: Vec<Test>,
}

/// The state that tests of a program share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    None,
    /// Caches: values that are the same, whichever test comes first.
    Cached,
    /// These, and what a test leaves so that others do something else.
    Left,
}

/// How a slot of an idiom is filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pick {
    /// A number, or the text of that number.
    Number(usize),
    /// A method of another idiom.
    Call(String, usize),
}

/// A part of a program that follows a template, see `idioms`.
#[derive(Debug, Clone)]
pub(crate) struct Idiom {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) picks: Vec<Pick>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Program {
    /// They know nothing of types, but types may call them.
    pub(crate) idioms: Vec<Idiom>,
    pub(crate) types: Vec<Type>,
    pub(crate) tests: Vec<TestClass>,
    /// Names are never used again.
    pub(crate) names: usize,
    /// Whether its tests are of Jupiter, and not of JUnit 4.
    pub(crate) jupiter: bool,
    pub(crate) state: State,
    /// The packages of its types; none if they have none. Tests have none ever.
    pub(crate) packages: Vec<String>,
}

impl Program {
    pub(crate) fn fresh(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    pub(crate) fn rank(&self, name: &str) -> Option<usize> {
        self.types.iter().position(|ty| ty.name == name)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Type> {
        self.types.iter().find(|ty| ty.name == name)
    }

    /// The type and all its supertypes that are of the program.
    pub(crate) fn lineage(&self, name: &str) -> Vec<&Type> {
        let mut all: Vec<&Type> = Vec::new();
        let mut next = vec![name];
        while let Some(name) = next.pop() {
            let Some(ty) = self.get(name) else { continue };
            if all.iter().all(|known| known.name != ty.name) {
                all.push(ty);
            }
            next.extend(ty.superclass.iter().map(String::as_str));
            next.extend(ty.interfaces.iter().map(String::as_str));
        }
        all
    }

    /// The package of a type and a dot, if it has one.
    pub(crate) fn package(&self, name: &str) -> Option<&str> {
        let outermost = name.split('.').next().unwrap_or(name);
        let number = self.get(outermost)?.package;
        let count = self.packages.len().max(1);
        Some(self.packages.get(number % count)?)
    }

    /// The name of a type as the JVM knows it.
    pub(crate) fn binary(&self, name: &str) -> String {
        let nested = name.replace('.', "$");
        match self.package(name) {
            Some(package) => format!("{package}.{nested}"),
            None => nested,
        }
    }

    pub(crate) fn is_a(&self, name: &str, other: &str) -> bool {
        self.lineage(name).iter().any(|ty| ty.name == other)
    }

    pub(crate) fn is_thrown(&self, name: &str) -> bool {
        let of_jdk = Some("RuntimeException");
        self.lineage(name)
            .iter()
            .any(|ty| ty.superclass.as_deref() == of_jdk)
    }

    /// The tests that the program has: class and method, with whether it is ignored.
    pub(crate) fn declared(&self) -> Vec<String> {
        let mut all = Vec::new();
        for class in self.tests.iter().filter(|class| !class.is_abstract) {
            let base = self
                .tests
                .iter()
                .find(|base| Some(&base.name) == class.base.as_ref());
            let inherited = base.into_iter().flat_map(|base| &base.tests);
            let tests = class.tests.iter().chain(inherited);
            all.extend(tests.map(|test| format!("{}#{}", class.name, test.name)));
        }
        all
    }

    /// Every body, in the types and in the classes inside them.
    pub(crate) fn each_expr(&mut self, see: &mut dyn FnMut(&mut Expr)) {
        for ty in &mut self.types {
            ty.each_expr(see);
        }
        for class in &mut self.tests {
            let fixtures = class.before.iter_mut().chain(&mut class.before_class);
            let fixtures = fixtures.chain(&mut class.cached);
            fixtures.for_each(|expr| expr.each(see));
            for check in class.tests.iter_mut().flat_map(|test| &mut test.checks) {
                if let Check::Value(expr) | Check::Trace(expr) = check {
                    expr.each(see);
                }
            }
        }
    }
}

impl Type {
    pub(crate) fn simple(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    pub(crate) fn outer(&self) -> Option<&str> {
        self.name.rsplit_once('.').map(|(outer, _)| outer)
    }

    pub(crate) fn each_expr(&mut self, see: &mut dyn FnMut(&mut Expr)) {
        for field in &mut self.fields {
            match &mut field.value {
                Value::Constant(_) | Value::Unset(_) => {}
                Value::Computed(expr) | Value::Instance(expr) => expr.each(see),
                Value::Object(_, object) => object.each(see),
            }
        }
        for constructor in &mut self.constructors {
            constructor.up.each(see);
            constructor.also.iter_mut().for_each(|expr| expr.each(see));
        }
        let inside = self.constants.iter_mut().flat_map(|(_, body)| body);
        inside
            .chain(&mut self.methods)
            .for_each(|method| method.each_expr(see));
    }
}

impl Method {
    pub(crate) fn each_expr(&mut self, see: &mut dyn FnMut(&mut Expr)) {
        if let Some((_, object)) = &mut self.makes {
            object.each(see);
        }
        let Some(body) = &mut self.body else { return };
        body.result.each(see);
        for statement in &mut body.statements {
            match statement {
                Statement::Add(a) | Statement::Return(_, a) | Statement::Loop(a) => a.each(see),
                Statement::If(a, _, b, c) => [a, b, c].into_iter().for_each(|e| e.each(see)),
                Statement::Throw(..) => {}
                Statement::Try(a, _, b) => [a, b].into_iter().for_each(|e| e.each(see)),
                Statement::Strings(all) => all.iter_mut().for_each(|e| e.each(see)),
                Statement::Constants(object, cases) => {
                    object.each(see);
                    cases.iter_mut().for_each(|(_, e)| e.each(see));
                }
                Statement::Local(_, method) => method.each_expr(see),
            }
        }
    }
}

impl Expr {
    pub(crate) fn each(&mut self, see: &mut dyn FnMut(&mut Expr)) {
        match self {
            Expr::Number(_)
            | Expr::V
            | Expr::Field(_)
            | Expr::Static(..)
            | Expr::Count(_)
            | Expr::AreArrays(..)
            | Expr::Literal(_) => {}
            Expr::Plus(a, b) | Expr::Divide(a, b) | Expr::Lambda(a, b) => {
                a.each(see);
                b.each(see);
            }
            Expr::Less(a, b, c) => [a, b, c].into_iter().for_each(|e| e.each(see)),
            Expr::Long(a)
            | Expr::Boxed(a)
            | Expr::CallStatic(_, _, a)
            | Expr::CallSelf(_, a)
            | Expr::CallSuper(_, _, a)
            | Expr::Reference(_, _, a)
            | Expr::Idiom(_, _, a) => a.each(see),
            Expr::Hand(_, _, object, a)
            | Expr::Call(object, _, a)
            | Expr::Stream(object, a)
            | Expr::ReferenceTo(object, _, a) => {
                object.each(see);
                a.each(see);
            }
            Expr::Is(object, _)
            | Expr::FieldOf(object, _)
            | Expr::Text(object)
            | Expr::Hash(object)
            | Expr::Ordinal(object)
            | Expr::Component(object, _) => object.each(see),
            Expr::Elements(_, objects, _, a) => {
                objects.iter_mut().for_each(|object| object.each(see));
                a.each(see);
            }
        }
        see(self);
    }
}

impl Obj {
    fn each(&mut self, see: &mut dyn FnMut(&mut Expr)) {
        match self {
            Obj::New(_, arguments) => arguments.iter_mut().for_each(|e| e.each(see)),
            Obj::Static(..) | Obj::Constant(..) | Obj::Given | Obj::Reference(..) => {}
            Obj::Cast(_, object) => object.each(see),
            Obj::Anonymous(_, a, methods) => {
                a.each(see);
                methods.iter_mut().for_each(|m| m.each_expr(see));
            }
            Obj::Lambda(_, a) => a.each(see),
            Obj::Made(object, _, a) => {
                object.each(see);
                a.each(see);
            }
        }
    }
}
