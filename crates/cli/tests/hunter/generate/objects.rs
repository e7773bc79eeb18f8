//! Random expressions for objects.

use super::scope::{Maker, Scope};
use super::types::is_function;
use crate::model::*;

impl Maker<'_> {
    /// An object of a type, and the type that it is known by.
    pub(super) fn object(&mut self, fuel: usize, wanted: Option<&str>) -> Option<(Obj, String)> {
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
            around: Some(wanted.to_owned()),
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
}
