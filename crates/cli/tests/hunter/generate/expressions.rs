//! Random numbers: expressions, and the calls in them.

use super::scope::Maker;
use super::types::is_operator;
use crate::idioms;
use crate::model::*;

/// How many kinds of numbers `try_expr` knows, and those that call something.
const CHOICES: usize = 32;
const CALLS: [usize; 19] = [
    6, 7, 9, 9, 10, 11, 12, 13, 14, 14, 18, 19, 20, 24, 25, 26, 29, 30, 31,
];

/// How often something else is tried when a choice leads nowhere.
const TRIES: usize = 8;

pub(super) fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

impl Maker<'_> {
    /// The name of one of them, and an argument for it.
    pub(super) fn a_call(
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

    pub(super) fn argument(&mut self, fuel: usize, takes: Takes) -> Box<Expr> {
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
    pub(super) fn call(&mut self, fuel: usize) -> Expr {
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
                let own = self
                    .scope
                    .around
                    .clone()
                    .filter(|_| !self.scope.is_static)?;
                let lineage = self.program.lineage(&own);
                let fields = lineage.iter().flat_map(|ty| &ty.fields);
                let own: Vec<String> = fields
                    .filter(|f| !f.is_static())
                    .map(|f| f.name.clone())
                    .collect();
                Expr::Field(self.random.pick(&own)?.clone())
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
                let own = self.scope.around.clone()?;
                let (level, is_static) = (self.scope.level, self.scope.is_static);
                let (name, argument) = self.a_call(&own, fuel, |m| {
                    returns_number(m) && m.level() < level && (m.is_static || !is_static)
                })?;
                Expr::CallSelf(name, argument)
            }
            17 => {
                let own = self
                    .scope
                    .around
                    .clone()
                    .filter(|_| !self.scope.is_static)?;
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

    /// An idiom, and one of its methods.
    pub(super) fn an_idiom(&mut self, is_test: bool) -> Option<(String, usize)> {
        let all = self.program.idioms.iter();
        let callable: Vec<&Idiom> = all.filter(|i| is_test || !idioms::is_left(i)).collect();
        let idiom = self.random.pick(&callable)?;
        Some((
            idiom.name.clone(),
            self.random.below(idioms::entries(&idiom.kind)),
        ))
    }
}

/// The argument of a reference to a method is an `int`.
fn number_of(argument: Box<Expr>) -> Box<Expr> {
    match *argument {
        Expr::Long(number) => number,
        _ => argument,
    }
}
