//! Random programs and parts of them.

use crate::idioms;
use crate::model::*;
use crate::print::LOOKS;
use crate::random::Random;

/// Where code stands, which decides what it may name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    /// Types before this one may be named.
    pub(crate) rank: usize,
    /// Methods of the own object below this level may be called.
    pub(crate) level: u32,
    /// The type around the code.
    pub(crate) own: Option<String>,
    pub(crate) is_static: bool,
    pub(crate) superclass: Option<String>,
    /// The type of the object that the method is given.
    pub(crate) given: Option<String>,
    /// Whether it is in a local class.
    pub(crate) is_local: bool,
}

impl Scope {
    /// Where tests are.
    pub(crate) fn of_tests(program: &Program) -> Scope {
        Scope {
            rank: program.types.len(),
            is_static: true,
            ..Scope::default()
        }
    }

    /// In a type, as code that has no object.
    pub(crate) fn of_type(program: &Program, ty: &Type) -> Scope {
        Scope {
            rank: program.rank(&ty.name).unwrap_or(program.types.len()),
            own: Some(ty.name.clone()),
            is_static: true,
            superclass: ty.superclass.clone(),
            ..Scope::default()
        }
    }

    /// In a method of a type.
    pub(crate) fn of_method(program: &Program, ty: &Type, method: &Method) -> Scope {
        Scope {
            level: method.level(),
            is_static: method.is_static,
            given: method.object.as_ref().map(|(name, _)| name.clone()),
            ..Scope::of_type(program, ty)
        }
    }
}

/// Makes code for one place.
pub(crate) struct Maker<'a> {
    pub(crate) program: &'a Program,
    pub(crate) random: &'a mut Random,
    pub(crate) scope: Scope,
}

/// How many kinds of numbers `try_expr` knows, and those that call something.
const CHOICES: usize = 32;
const CALLS: [usize; 19] = [
    6, 7, 9, 9, 10, 11, 12, 13, 14, 14, 18, 19, 20, 24, 25, 26, 29, 30, 31,
];

/// How often something else is tried when a choice leads nowhere.
const TRIES: usize = 8;

fn outermost(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

impl Maker<'_> {
    fn types(&self, is_wanted: impl Fn(&Type) -> bool) -> Vec<String> {
        let before = self.program.types.iter().take(self.scope.rank);
        let wanted = before.filter(|ty| is_wanted(ty));
        wanted.map(|ty| ty.name.clone()).collect()
    }

    fn a_type(&mut self, is_wanted: impl Fn(&Type) -> bool) -> Option<String> {
        let all = self.types(is_wanted);
        self.random.pick(&all).cloned()
    }

    /// The methods of a type that may be called from here, with the kind of objects they need.
    fn methods(&self, ty: &str, is_wanted: impl Fn(&Method) -> bool) -> Vec<Method> {
        let own = self.scope.own.as_deref().map(outermost);
        let mut all = Vec::new();
        for of in self.program.lineage(ty) {
            let inside = own == Some(outermost(&of.name));
            let visible = of.methods.iter().filter(|m| match of.name == ty {
                true => inside || m.access != Access::Private,
                // Neither is inherited.
                false => {
                    m.access != Access::Private && !(m.is_static && of.kind == Kind::Interface)
                }
            });
            all.extend(visible.filter(|m| !m.is_of_jdk() && is_wanted(m)).cloned());
        }
        all
    }

    /// The name of one of them, and an argument for it.
    fn a_call(
        &mut self,
        ty: &str,
        fuel: usize,
        is_wanted: impl Fn(&Method) -> bool,
    ) -> Option<(String, Box<Expr>)> {
        let all = self.methods(ty, is_wanted);
        let method = self.random.pick(&all)?.clone();
        let argument = self.argument(fuel, method.takes);
        Some((method.name, argument))
    }

    fn argument(&mut self, fuel: usize, takes: Takes) -> Box<Expr> {
        let inner = match self.random.below(3) {
            0 => Expr::V,
            1 => Expr::Number(self.random.small()),
            _ => self.expr(fuel),
        };
        boxed(match self.random.below(10) {
            0 if matches!(takes, Takes::Long | Takes::Object) => Expr::Long(boxed(inner)),
            1 => Expr::Boxed(boxed(inner)),
            _ => inner,
        })
    }

    /// A number; the more fuel, the more happens.
    pub(crate) fn expr(&mut self, fuel: usize) -> Expr {
        if fuel > 0 {
            for _ in 0..TRIES {
                let choice = self.random.below(CHOICES);
                if let Some(expr) = self.try_expr(fuel - 1, choice) {
                    return expr;
                }
            }
        }
        match self.random.chance(50) {
            true => Expr::V,
            false => Expr::Number(self.random.small()),
        }
    }

    /// A number that calls something.
    fn call(&mut self, fuel: usize) -> Expr {
        for _ in 0..TRIES {
            let choice = *self.random.pick(&CALLS).unwrap_or(&0);
            if let Some(expr) = self.try_expr(fuel, choice) {
                return expr;
            }
        }
        self.expr(fuel)
    }

    fn try_expr(&mut self, fuel: usize, choice: usize) -> Option<Expr> {
        let returns_number = |m: &Method| m.makes.is_none() && m.object.is_none();
        Some(match choice {
            0 => {
                let own = self.scope.own.clone().filter(|_| !self.scope.is_static)?;
                let lineage = self.program.lineage(&own);
                let fields = lineage.iter().flat_map(|ty| &ty.fields);
                let own: Vec<String> = fields
                    .filter(|f| !f.is_static())
                    .map(|f| f.name.clone())
                    .collect();
                Expr::Own(self.random.pick(&own)?.clone())
            }
            1 | 2 => {
                let ty = self.a_type(|_| true)?;
                let lineage = self.program.lineage(&ty);
                let fields = lineage.iter().flat_map(|ty| &ty.fields);
                let numbers = fields.filter(|f| {
                    f.access != Access::Private
                        && matches!(
                            f.value,
                            Value::Constant(_) | Value::Computed(_) | Value::Unset(true)
                        )
                });
                let names: Vec<String> = numbers.map(|f| f.name.clone()).collect();
                Expr::Static(ty, self.random.pick(&names)?.clone())
            }
            3 => Expr::Plus(boxed(self.expr(fuel)), boxed(self.expr(fuel))),
            4 => Expr::Less(
                boxed(self.expr(fuel)),
                boxed(Expr::Number(4)),
                boxed(self.expr(fuel)),
            ),
            5 => match self.random.chance(30) {
                true => Expr::Divide(boxed(self.expr(fuel)), boxed(self.expr(fuel))),
                false => return None,
            },
            6..=8 => {
                let ty = self.a_type(|_| true)?;
                let (name, argument) =
                    self.a_call(&ty, fuel, |m| m.is_static && returns_number(m))?;
                Expr::CallStatic(ty, name, argument)
            }
            9 => {
                let ty = self.a_type(|_| true)?;
                let all = self.methods(&ty, |m| m.is_static && m.object.is_some());
                let method = self.random.pick(&all)?.clone();
                let (wanted, _) = method.object?;
                let object = self.object(fuel, Some(&wanted))?.0;
                let argument = self.argument(fuel, method.takes);
                Expr::Hand(ty, method.name, Box::new(object), argument)
            }
            10..=14 => {
                let (object, ty) = self.object(fuel, None)?;
                let (name, argument) =
                    self.a_call(&ty, fuel, |m| !m.is_static && returns_number(m))?;
                Expr::Call(Box::new(object), name, argument)
            }
            15 | 16 => {
                let own = self.scope.own.clone()?;
                let (level, is_static) = (self.scope.level, self.scope.is_static);
                let (name, argument) = self.a_call(&own, fuel, |m| {
                    returns_number(m) && m.level() < level && (m.is_static || !is_static)
                })?;
                Expr::CallOwn(name, argument)
            }
            17 => {
                let own = self.scope.own.clone().filter(|_| !self.scope.is_static)?;
                let interfaces = self.program.get(&own).map(|ty| ty.interfaces.clone());
                let of = match self.random.chance(30) {
                    true => self.random.pick(&interfaces?).cloned(),
                    false => None,
                };
                let up = of.clone().or(self.scope.superclass.clone())?;
                let level = self.scope.level;
                let (name, argument) = self.a_call(&up, fuel, |m| {
                    returns_number(m) && !m.is_static && m.body.is_some() && m.level() <= level
                })?;
                Expr::CallSuper(of, name, argument)
            }
            18 => {
                let (object, _) = self.object(fuel, None)?;
                let ty = self.a_type(|ty| ty.kind != Kind::Annotation)?;
                Expr::Is(Box::new(object), ty)
            }
            19 | 20 => {
                let (object, ty) = self.object(fuel, None)?;
                let of = self.program.get(&ty)?;
                let is_text = of.kind != Kind::Interface && !self.program.is_thrown(&ty);
                let is_hash = is_text && of.kind != Kind::Enum && self.random.chance(40);
                match (is_text, is_hash) {
                    (_, true) => Expr::Hash(Box::new(object)),
                    (true, _) => Expr::Text(Box::new(object)),
                    _ => return None,
                }
            }
            21 => {
                let ty = self.a_type(|ty| ty.kind == Kind::Enum)?;
                match self.random.chance(50) {
                    true => Expr::Count(ty),
                    false => Expr::Ordinal(Box::new(self.object(fuel, Some(&ty))?.0)),
                }
            }
            22 | 23 => Expr::Lambda(boxed(self.expr(fuel)), self.argument(fuel, Takes::Int)),
            24 => {
                let ty = self.a_type(|_| true)?;
                let (name, argument) =
                    self.a_call(&ty, fuel, |m| m.is_static && returns_number(m))?;
                Expr::Reference(ty, name, number_of(argument))
            }
            25 => {
                let (object, ty) = self.object(fuel, None)?;
                let (name, argument) =
                    self.a_call(&ty, fuel, |m| !m.is_static && returns_number(m))?;
                Expr::ReferenceTo(Box::new(object), name, number_of(argument))
            }
            26 => {
                let ty = self.a_type(|ty| matches!(ty.kind, Kind::Class | Kind::Interface))?;
                let (name, argument) =
                    self.a_call(&ty, fuel, |m| !m.is_static && returns_number(m))?;
                let objects = (0..2).filter_map(|_| Some(self.object(fuel, Some(&ty))?.0));
                let objects: Vec<Obj> = objects.collect();
                if objects.is_empty() {
                    return None;
                }
                Expr::Elements(ty, objects, name, argument)
            }
            27 => match self.random.chance(50) {
                true => Expr::Literal(self.a_type(|_| true)?),
                false => Expr::AreArrays(self.a_type(|_| true)?, self.a_type(|_| true)?),
            },
            29 => {
                let (object, ty) = self.object(fuel, None)?;
                let lineage = self.program.lineage(&ty);
                let fields = lineage.iter().flat_map(|ty| &ty.fields);
                let own = fields.filter(|f| !f.is_static() && f.access != Access::Private);
                let names: Vec<String> = own.map(|f| f.name.clone()).collect();
                Expr::FieldOf(Box::new(object), self.random.pick(&names)?.clone())
            }
            30 => {
                let program = self.program;
                let ty = self.a_type(|ty| is_operator(program, &ty.name))?;
                let (object, _) = self.object(fuel, Some(&ty))?;
                Expr::Stream(Box::new(object), self.argument(0, Takes::Int))
            }
            31 => {
                let (name, entry) = self.an_idiom(false)?;
                Expr::Idiom(name, entry, self.argument(0, Takes::Int))
            }
            _ => {
                let ty = self.a_type(|ty| ty.kind == Kind::Record)?;
                let record = self.program.get(&ty)?.constants.clone();
                let name = self.random.pick(&record)?.0.clone();
                Expr::Component(Box::new(self.object(fuel, Some(&ty))?.0), name)
            }
        })
    }

    /// An object of a type, and the type that it is known by.
    fn object(&mut self, fuel: usize, wanted: Option<&str>) -> Option<(Obj, String)> {
        if let Some(given) = self.scope.given.clone()
            && wanted.is_none_or(|wanted| self.program.is_a(&given, wanted))
            && self.random.chance(60)
        {
            return Some((Obj::Given, given));
        }
        let wanted = match wanted {
            Some(wanted) => wanted.to_owned(),
            None => self.a_type(|ty| ty.kind != Kind::Annotation)?,
        };
        let program = self.program;
        let is_it = |ty: &str| program.is_a(ty, &wanted);
        match self.random.below(10) {
            0 => {
                let before = program.types.iter().take(self.scope.rank);
                let fields = before.flat_map(|ty| ty.fields.iter().map(move |f| (ty, f)));
                let objects = fields.filter_map(|(ty, f)| match &f.value {
                    Value::Object(of, _) if f.access != Access::Private && is_it(of) => {
                        Some((Obj::Static(ty.name.clone(), f.name.clone()), of.clone()))
                    }
                    _ => None,
                });
                let objects: Vec<(Obj, String)> = objects.collect();
                self.random.pick(&objects).cloned()
            }
            1 if fuel > 0 => self.anonymous(&wanted),
            2 if is_function(program, &wanted) => {
                let object = match self.random.chance(60) {
                    true => Obj::Lambda(wanted.clone(), self.expr(fuel)),
                    false => {
                        let ty = self.a_type(|_| true)?;
                        let (name, _) = self.a_call(&ty, 0, |m| {
                            m.is_static && m.object.is_none() && m.makes.is_none()
                        })?;
                        Obj::Reference(wanted.clone(), ty, name)
                    }
                };
                Some((object, wanted))
            }
            3 => {
                let ty = self.a_type(|_| true)?;
                let all = self.methods(&ty, |m| {
                    let made = m.makes.as_ref();
                    !m.is_static && made.is_some_and(|(of, _)| is_it(of))
                });
                let maker = self.random.pick(&all)?.clone();
                let (from, _) = self.concrete(fuel, &ty)?;
                let argument = self.argument(fuel, maker.takes);
                let made = Obj::Made(Box::new(from), maker.name, argument);
                Some((made, maker.makes?.0))
            }
            4 => {
                let (object, _) = self.concrete(fuel, &wanted)?;
                Some((Obj::Cast(wanted.clone(), Box::new(object)), wanted))
            }
            _ => self.concrete(fuel, &wanted),
        }
    }

    /// A new object, or a constant of an enum.
    fn concrete(&mut self, fuel: usize, wanted: &str) -> Option<(Obj, String)> {
        let program = self.program;
        let ty = self.a_type(|ty| {
            let is_concrete = match ty.kind {
                Kind::Class => !ty.is_abstract,
                kind => matches!(kind, Kind::Enum | Kind::Record),
            };
            is_concrete && program.is_a(&ty.name, wanted)
        })?;
        let of = program.get(&ty)?;
        let object = match of.kind {
            Kind::Enum => {
                let (name, _) = self.random.pick(&of.constants)?;
                Obj::Constant(ty.clone(), name.clone())
            }
            Kind::Record => {
                let arguments = of.constants.iter().map(|_| self.expr(fuel.min(1)));
                Obj::New(ty.clone(), arguments.collect())
            }
            _ => Obj::New(ty.clone(), vec![*self.argument(fuel.min(1), Takes::Int)]),
        };
        Some((object, ty))
    }

    fn anonymous(&mut self, wanted: &str) -> Option<(Obj, String)> {
        let of = self.program.get(wanted)?;
        let argument = match of.kind {
            Kind::Class if !of.is_final => Expr::Number(self.random.small()),
            Kind::Interface => Expr::V,
            _ => return None,
        };
        let inside = Scope {
            own: Some(wanted.to_owned()),
            is_static: false,
            superclass: (of.kind == Kind::Class).then(|| wanted.to_owned()),
            given: None,
            ..self.scope.clone()
        };
        let outside = std::mem::replace(&mut self.scope, inside);
        let mut names = self.methods(wanted, |m| {
            !m.is_static && !m.is_final && m.object.is_none() && m.makes.is_none()
        });
        names.retain(|m| m.access != Access::Private);
        let mut methods = Vec::new();
        for method in names {
            if method.body.is_none() || self.random.chance(40) {
                let level = outside.level.min(method.level());
                self.scope.level = level;
                let body = self.body(1, 0);
                if methods
                    .iter()
                    .all(|m: &Method| m.name != method.name || m.takes != method.takes)
                {
                    methods.push(Method {
                        body: Some(body),
                        notes: Vec::new(),
                        ..method
                    });
                }
            }
        }
        self.scope = outside;
        Some((
            Obj::Anonymous(wanted.to_owned(), argument, methods),
            wanted.to_owned(),
        ))
    }

    pub(crate) fn body(&mut self, fuel: usize, statements: usize) -> Body {
        Body {
            statements: (0..statements).map(|_| self.statement(fuel)).collect(),
            result: match self.random.below(10) {
                0..=3 => Expr::Plus(boxed(Expr::V), boxed(self.expr(fuel))),
                4..=6 => Expr::Plus(boxed(Expr::V), boxed(self.call(fuel - 1))),
                _ => self.expr(fuel),
            },
        }
    }

    fn thrown(&mut self) -> Option<String> {
        let program = self.program;
        self.a_type(|ty| program.is_thrown(&ty.name) && !ty.is_abstract)
    }

    pub(crate) fn statement(&mut self, fuel: usize) -> Statement {
        // Much control flow with few calls.
        let fuel = match self.random.chance(50) {
            true => 0,
            false => fuel,
        };
        let made = match self.random.below(9) {
            0 | 1 => {
                let (a, n) = (self.expr(fuel), self.random.small());
                Some(Statement::If(a, n, self.expr(fuel), self.expr(fuel)))
            }
            2 => Some(Statement::Return(10 * self.random.small(), self.expr(fuel))),
            3 => self
                .thrown()
                .map(|ty| Statement::Throw(self.random.small(), ty)),
            4 => {
                let caught = self
                    .thrown()
                    .unwrap_or_else(|| "ArithmeticException".into());
                Some(Statement::Try(self.expr(fuel), caught, self.expr(fuel)))
            }
            5 => Some(Statement::Strings(
                (0..2).map(|_| self.expr(fuel)).collect(),
            )),
            6 => self.constants(fuel),
            7 if self.random.chance(30) => Some(Statement::Loop(self.expr(fuel))),
            8 if !self.scope.is_local => self.local(),
            _ => None,
        };
        made.unwrap_or_else(|| Statement::Add(self.expr(fuel)))
    }

    fn constants(&mut self, fuel: usize) -> Option<Statement> {
        let ty = self.a_type(|ty| ty.kind == Kind::Enum)?;
        let (object, _) = self.object(fuel, Some(&ty))?;
        let mut cases = Vec::new();
        for (name, _) in &self.program.get(&ty)?.constants {
            if self.random.chance(60) {
                cases.push((name.clone(), self.expr(fuel.min(1))));
            }
        }
        Some(Statement::Constants(object, cases))
    }

    fn local(&mut self) -> Option<Statement> {
        let superclass = match self.random.chance(50) {
            true => {
                Some(self.a_type(|ty| ty.kind == Kind::Class && !ty.is_final && !ty.is_abstract)?)
            }
            false => None,
        };
        let inside = Scope {
            is_local: true,
            is_static: true,
            given: None,
            level: 0,
            ..self.scope.clone()
        };
        let outside = std::mem::replace(&mut self.scope, inside);
        let name = format!("m{}", self.random.below(3));
        let mut method = plain(&name, false);
        method.body = Some(self.body(1, 1));
        self.scope = outside;
        Some(Statement::Local(superclass, Box::new(method)))
    }

    pub(crate) fn check(&mut self) -> Check {
        match self.random.below(20) {
            0 | 1 => self.look().unwrap_or_else(|| Check::Value(self.call(1))),
            2 => Check::Trace(self.call(1)),
            3..=8 => match self.an_idiom(true) {
                Some((name, entry)) => Check::Idiom(name, entry),
                None => Check::Value(self.call(1)),
            },
            _ => Check::Value(self.call(1)),
        }
    }

    /// An idiom, and one of its methods.
    fn an_idiom(&mut self, is_test: bool) -> Option<(String, usize)> {
        let all = self.program.idioms.iter();
        let callable: Vec<&Idiom> = all.filter(|i| is_test || !idioms::is_left(i)).collect();
        let idiom = self.random.pick(&callable)?;
        Some((
            idiom.name.clone(),
            self.random.below(idioms::entries(&idiom.kind)),
        ))
    }

    /// A look at a type that makes sense for its kind.
    fn look(&mut self) -> Option<Check> {
        let program = self.program;
        let look = self.random.below(LOOKS);
        let ty = self.a_type(|ty| {
            let is_new = ty.kind == Kind::Class && !ty.is_abstract && !program.is_thrown(&ty.name);
            let has = |name: &str| ty.methods.iter().any(|m| m.name == name && m.is_static);
            match look {
                0 | 13 | 15 | 20 | 21 => is_new,
                1 => has("s1"),
                16 => ty.kind == Kind::Interface && ty.methods.iter().any(|m| m.name == "m1"),
                17 => ty.kind == Kind::Record,
                18 => ty.kind == Kind::Enum,
                _ => true,
            }
        })?;
        Some(Check::Look(look, ty))
    }
}

/// The argument of a reference to a method is an `int`.
fn number_of(argument: Box<Expr>) -> Box<Expr> {
    match *argument {
        Expr::Long(number) => number,
        _ => argument,
    }
}

/// Whether a lambda can be of this type.
fn is_function(program: &Program, name: &str) -> bool {
    let lineage = program.lineage(name);
    let methods = lineage.iter().flat_map(|ty| &ty.methods);
    let open: Vec<&Method> = methods.filter(|m| m.body.is_none()).collect();
    let is_interface = lineage.iter().all(|ty| ty.kind == Kind::Interface);
    let takes_int = |m: &Method| matches!(m.takes, Takes::Int | Takes::Integer);
    is_interface && matches!(open[..], [one] if takes_int(one))
}

/// Whether the JDK can call objects of this type.
fn is_operator(program: &Program, name: &str) -> bool {
    let lineage = program.lineage(name);
    let mut above = lineage.iter().flat_map(|ty| &ty.interfaces);
    above.any(|name| name == OPERATOR)
}

/// Whether a method can stand in a type beside what that inherits.
fn fits(program: &Program, ty: &Type, method: &Method) -> bool {
    let above = ty.superclass.iter().chain(&ty.interfaces);
    let inherited = above
        .flat_map(|name| program.lineage(name))
        .flat_map(|ty| &ty.methods);
    let mut same = inherited
        .chain(&ty.methods)
        .filter(|m| m.name == method.name && m.takes == method.takes);
    let is_new = |known: &Method| known.name != method.name || known.takes != method.takes;
    let made = |m: &Method| m.makes.as_ref().map(|(ty, _)| ty.clone());
    ty.methods.iter().all(is_new)
        && same.all(|m| {
            let is_narrower = match (made(m), made(method)) {
                (Some(old), Some(new)) => program.is_a(&new, &old),
                (old, new) => old == new,
            };
            m.is_static == method.is_static
                && is_narrower
                && m.object == method.object
                && method.access == Access::Public
        })
}

/// A public method without a body yet.
pub(crate) fn plain(name: &str, is_static: bool) -> Method {
    Method {
        name: name.to_owned(),
        access: Access::Public,
        is_static,
        is_final: false,
        is_synchronized: false,
        throws: false,
        notes: Vec::new(),
        takes: Takes::Int,
        object: None,
        makes: None,
        body: None,
    }
}

/// A method for a type that is not, or not yet, part of the program.
pub(crate) fn method(program: &Program, random: &mut Random, ty: &Type) -> Method {
    let kind = random.below(10);
    let mut made = match kind {
        0..=5 => plain(&format!("m{}", random.below(4)), false),
        6 | 7 => plain(&format!("s{}", random.below(3)), true),
        8 => plain(&format!("p{}", random.below(2)), true),
        _ => plain(&format!("k{}", random.below(2)), false),
    };
    if random.chance(10) {
        made.takes = *random.pick(&TAKES).unwrap_or(&Takes::Int);
    }
    if random.chance(8) {
        made.access = Access::Private;
    }
    let mut maker = Maker {
        scope: Scope::of_method(program, ty, &made),
        program,
        random,
    };
    if kind == 8 {
        made.object = maker
            .a_type(|ty| matches!(ty.kind, Kind::Class | Kind::Interface))
            .map(|ty| (ty, maker.random.chance(30)));
        maker.scope.given = made.object.as_ref().map(|(ty, _)| ty.clone());
    }
    if kind == 9 {
        made.makes = maker
            .object(1, None)
            .filter(|(object, _)| !matches!(object, Obj::Given))
            .map(|(object, of)| {
                let lineage = program.lineage(&of);
                let known_by = maker.random.pick(&lineage).map_or(of, |ty| ty.name.clone());
                (known_by, object)
            });
    }
    let statements = maker.random.below(4);
    made.body = Some(maker.body(1, statements));
    let may_be_abstract = ty.kind == Kind::Interface || (ty.kind == Kind::Class && ty.is_abstract);
    let is_plain = !made.is_static && made.access == Access::Public;
    if may_be_abstract && is_plain && random.chance(50) {
        made.body = None;
        made.makes = None;
        if kind == 9 {
            made.name = format!("m{}", random.below(4));
        }
    }
    made
}

pub(crate) fn field(program: &Program, random: &mut Random, ty: &Type) -> Field {
    let mut maker = Maker {
        scope: Scope::of_type(program, ty),
        program,
        random,
    };
    let is_simple = matches!(ty.kind, Kind::Enum | Kind::Annotation);
    let number = maker.random.below(2);
    let (name, value) = match maker.random.below(10) {
        0..=2 => (format!("K{number}"), Value::Constant(maker.random.small())),
        3 | 4 if !is_simple => (format!("S{number}"), Value::Computed(maker.expr(1))),
        5 if !is_simple && ty.kind != Kind::Interface => match maker.object(1, None) {
            Some((object, of)) => (format!("O{number}"), Value::Object(of, object)),
            None => (format!("K{number}"), Value::Constant(5)),
        },
        6 if !is_simple => (format!("S{number}"), Value::Unset(true)),
        7 if ty.kind == Kind::Class => (format!("f{number}"), Value::Unset(false)),
        _ if ty.kind == Kind::Class => (format!("f{number}"), Value::Own(maker.expr(1))),
        _ => (format!("K{number}"), Value::Constant(maker.random.small())),
    };
    Field {
        name,
        access: match program.packages.is_empty() {
            true => Access::Package,
            false => Access::Public,
        },
        is_final: maker.random.chance(50),
        notes: Vec::new(),
        value,
    }
}

pub(crate) fn constructor(program: &Program, random: &mut Random, ty: &Type) -> Constructor {
    let mut maker = Maker {
        scope: Scope::of_type(program, ty),
        program,
        random,
    };
    let up = maker.expr(1);
    // It may call what subclasses override.
    maker.scope.is_static = false;
    maker.scope.level = 9;
    // Where a constant of an enum throws, all who come later see another error.
    let is_simple = ty.kind == Kind::Enum;
    Constructor {
        takes: Takes::Int,
        up,
        also: (!is_simple && maker.random.chance(30)).then(|| maker.expr(2)),
    }
}

fn note(program: &Program, random: &mut Random) -> Option<Note> {
    let types = program.types.iter();
    let notes: Vec<&Type> = types.filter(|ty| ty.kind == Kind::Annotation).collect();
    let name = random.pick(&notes)?.name.clone();
    Some(Note {
        name,
        value: random.small(),
    })
}

/// Annotations for something, mostly none.
pub(crate) fn notes(program: &Program, random: &mut Random, percent: usize) -> Vec<Note> {
    match random.chance(percent) {
        true => note(program, random).into_iter().collect(),
        false => Vec::new(),
    }
}

/// A type after all others, which may name them.
pub(crate) fn a_type(program: &mut Program, random: &mut Random, kind: Kind) -> Type {
    let number = program.fresh();
    let program = &*program;
    let tops: Vec<&Type> = program
        .types
        .iter()
        .filter(|ty| ty.outer().is_none() && matches!(ty.kind, Kind::Class | Kind::Interface))
        .collect();
    let outer = random.pick(&tops).filter(|_| random.chance(15));
    let name = match (kind, outer) {
        (Kind::Annotation, _) => format!("N{number}"),
        (Kind::Interface, _) => format!("I{number}"),
        (_, Some(outer)) => format!("{}.C{number}", outer.name),
        _ => format!("C{number}"),
    };
    let superclasses: Vec<&Type> = program
        .types
        .iter()
        .filter(|ty| ty.kind == Kind::Class && !ty.is_final && !program.is_thrown(&ty.name))
        .collect();
    let superclass = random
        .pick(&superclasses)
        .filter(|_| kind == Kind::Class && random.chance(55))
        .map(|ty| ty.name.clone());
    let mut ty = Type {
        name,
        kind,
        is_abstract: kind == Kind::Class && random.chance(20),
        is_final: false,
        // Others could not name it.
        is_public: random.chance(50) || !program.packages.is_empty(),
        package: random.below(PACKAGES),
        superclass,
        interfaces: Vec::new(),
        notes: notes(program, random, 20),
        constants: Vec::new(),
        fields: Vec::new(),
        constructors: Vec::new(),
        methods: Vec::new(),
    };
    if kind == Kind::Annotation {
        ty.notes.clear();
        return ty;
    }
    let interfaces: Vec<&Type> = program
        .types
        .iter()
        .filter(|ty| ty.kind == Kind::Interface)
        .collect();
    if random.chance(40) {
        ty.interfaces
            .extend(random.pick(&interfaces).map(|ty| ty.name.clone()));
    }
    if kind == Kind::Class && random.chance(10) {
        ty.interfaces.push("java.io.Serializable".into());
    }
    let is_operator = kind == Kind::Class && random.chance(15);
    if is_operator {
        ty.interfaces.push(OPERATOR.into());
    }
    if matches!(kind, Kind::Enum | Kind::Record) {
        let prefix = if kind == Kind::Enum { "A" } else { "a" };
        let count = 1 + random.below(3);
        ty.constants = (0..count)
            .map(|n| (format!("{prefix}{n}"), Vec::new()))
            .collect();
    }
    for _ in 0..random.below(3) {
        let field = field(program, random, &ty);
        if ty.fields.iter().all(|known| known.name != field.name) {
            ty.fields.push(field);
        }
    }
    let constructor = constructor(program, random, &ty);
    ty.constructors.push(constructor);
    let is_root = kind == Kind::Class && ty.superclass.is_none();
    for name in OF_JDK {
        let is_wanted = match name {
            "toString" | "hashCode" => is_root,
            "applyAsInt" => is_operator,
            _ => false,
        };
        if is_wanted {
            let mut of_jdk = plain(name, false);
            let mut maker = Maker {
                scope: Scope::of_method(program, &ty, &of_jdk),
                program,
                random,
            };
            of_jdk.body = Some(maker.body(1, 0));
            ty.methods.push(of_jdk);
        }
    }
    for _ in 0..2 + random.below(3) {
        let method = method(program, random, &ty);
        if fits(program, &ty, &method) {
            ty.methods.push(method);
        }
    }
    if !ty.is_abstract && kind != Kind::Interface {
        implement(program, random, &mut ty);
    }
    ty
}

/// Gives a type bodies for what it inherits without one.
fn implement(program: &Program, random: &mut Random, ty: &mut Type) {
    let above = ty.superclass.iter().chain(&ty.interfaces);
    let lineage: Vec<&Type> = above.flat_map(|name| program.lineage(name)).collect();
    let same = |a: &Method, b: &Method| a.name == b.name && a.takes == b.takes;
    let inherited = lineage.iter().flat_map(|ty| &ty.methods);
    let missing: Vec<Method> = inherited.filter(|m| m.body.is_none()).cloned().collect();
    for method in missing {
        let in_classes = lineage.iter().filter(|ty| ty.kind == Kind::Class);
        let mut bodies = in_classes
            .flat_map(|ty| &ty.methods)
            .filter(|m| m.body.is_some());
        if bodies.any(|m| same(m, &method)) || ty.methods.iter().any(|m| same(m, &method)) {
            continue;
        }
        let mut maker = Maker {
            scope: Scope::of_method(program, ty, &method),
            program,
            random,
        };
        let body = Some(maker.body(1, 0));
        ty.methods.push(Method { body, ..method });
    }
}

/// An exception.
fn thrown(program: &mut Program, random: &mut Random, superclass: &str) -> Type {
    let mut ty = a_type(program, random, Kind::Annotation);
    ty.name = ty.name.replace('N', "E");
    ty.kind = Kind::Class;
    ty.superclass = Some(superclass.to_owned());
    let constructor = constructor(program, random, &ty);
    ty.constructors.push(constructor);
    ty
}

/// How many idioms a program has, and how many of them are without state.
const IDIOMS: usize = 5;
const PLAIN_IDIOMS: usize = 3;

/// How many classes test nothing but one of its methods, for each idiom: it takes several to share a state.
const TESTS_OF_IDIOMS: usize = 3;
const TESTS_OF_STATE: usize = 6;

/// How many packages a program has, if any.
pub(crate) const PACKAGES: usize = 2;

/// A program whose names differ from those of programs with other numbers.
pub(crate) fn program(
    random: &mut Random,
    number: usize,
    (state, jupiter): (State, bool),
) -> Program {
    let packages = (0..PACKAGES).map(|at| format!("k{number}x{at}"));
    let mut program = Program {
        names: 1000 * number,
        jupiter,
        state,
        packages: packages.filter(|_| number % 3 == 1).collect(),
        ..Program::default()
    };
    for at in 0..IDIOMS {
        let number = program.fresh();
        let idiom = match at < PLAIN_IDIOMS || state == State::None {
            true => idioms::plain(random, number, &program.idioms),
            false => idioms::with_state(random, number, &program.idioms, (state, jupiter)),
        };
        program.idioms.extend(idiom);
    }
    let note = a_type(&mut program, random, Kind::Annotation);
    program.types.push(note);
    let exception = thrown(&mut program, random, "RuntimeException");
    let name = exception.name.clone();
    program.types.push(exception);
    for _ in 0..2 {
        let other = thrown(&mut program, random, &name);
        program.types.push(other);
    }
    for _ in 0..6 + random.below(7) {
        let kind = match random.below(20) {
            0..=10 => Kind::Class,
            11..=15 => Kind::Interface,
            16 | 17 => Kind::Enum,
            _ => Kind::Record,
        };
        let ty = a_type(&mut program, random, kind);
        program.types.push(ty);
    }
    if random.chance(50) {
        let base = test_class(&mut program, random, true);
        program.tests.push(base);
    }
    for _ in 0..6 + random.below(5) {
        let class = test_class(&mut program, random, false);
        program.tests.push(class);
    }
    // A test that does little else is not selected for another reason.
    for (at, idiom) in program.idioms.clone().iter().enumerate() {
        let count = match at < PLAIN_IDIOMS || state == State::None {
            true => TESTS_OF_IDIOMS,
            false => TESTS_OF_STATE,
        };
        for _ in 0..count {
            let class = test_of_idiom(&mut program, random, idiom);
            program.tests.push(class);
        }
    }
    program
}

/// A class with one test of one method of an idiom, or of what it shares.
fn test_of_idiom(program: &mut Program, random: &mut Random, idiom: &Idiom) -> TestClass {
    let entry = random.below(idioms::entries(&idiom.kind));
    let mut class = test_class(program, random, false);
    (class.base, class.before, class.before_class) = (None, None, None);
    (class.kept, class.shares) = (None, None);
    let check = match idioms::is_shared(idiom) {
        true => {
            class.shares = Some(idiom.name.clone());
            Check::Value(Expr::Number(1))
        }
        false => Check::Idiom(idiom.name.clone(), entry),
    };
    class.tests.truncate(1);
    for test in &mut class.tests {
        test.checks = vec![check.clone()];
    }
    class
}

pub(crate) fn test_class(
    program: &mut Program,
    random: &mut Random,
    is_abstract: bool,
) -> TestClass {
    let number = program.fresh();
    let base = program.tests.iter().find(|class| class.is_abstract);
    let base = base.filter(|_| !is_abstract && random.chance(30));
    let mut class = TestClass {
        name: match is_abstract {
            true => format!("Base{number}"),
            false => format!("T{number}Test"),
        },
        is_abstract,
        base: base.map(|base| base.name.clone()),
        before: None,
        before_class: None,
        kept: None,
        shares: None,
        tests: Vec::new(),
    };
    let shared = program.idioms.iter().find(|idiom| idioms::is_shared(idiom));
    let shared = shared.filter(|_| !is_abstract && random.chance(25));
    class.shares = shared.map(|idiom| idiom.name.clone());
    let keeps = is_abstract && program.state != State::None && random.chance(60);
    let scope = Scope::of_tests(program);
    let mut maker = Maker {
        program,
        random,
        scope,
    };
    class.before = maker.random.chance(20).then(|| maker.expr(2));
    class.before_class = maker.random.chance(15).then(|| maker.expr(2));
    class.kept = keeps.then(|| maker.call(2));
    let count = match is_abstract {
        true => 1,
        false => 1 + random.below(2),
    };
    for _ in 0..count {
        let test = test(program, random);
        class.tests.push(test);
    }
    class
}

pub(crate) fn test(program: &mut Program, random: &mut Random) -> Test {
    let number = program.fresh();
    let scope = Scope::of_tests(program);
    let mut maker = Maker {
        program,
        random,
        scope,
    };
    let count = 1 + maker.random.below(2);
    Test {
        name: format!("t{number}"),
        is_ignored: maker.random.chance(3),
        checks: (0..count).map(|_| maker.check()).collect(),
        fails: maker.random.chance(15).then_some(5),
    }
}
