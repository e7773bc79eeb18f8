//! Random bodies of methods, and what tests check.

use super::expressions::boxed;
use super::members::plain;
use super::scope::{Maker, Scope};
use crate::model::*;
use crate::print::REFLECTION_QUERIES;

impl Maker<'_> {
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
            0 | 1 => self
                .reflection()
                .unwrap_or_else(|| Check::Value(self.call(1))),
            2 => Check::Trace(self.call(1)),
            3..=8 => match self.an_idiom(true) {
                Some((name, entry)) => Check::Idiom(name, entry),
                None => Check::Value(self.call(1)),
            },
            _ => Check::Value(self.call(1)),
        }
    }

    /// A question to reflection that makes sense for the kind of a type.
    fn reflection(&mut self) -> Option<Check> {
        let program = self.program;
        let query = self.random.below(REFLECTION_QUERIES);
        let ty = self.a_type(|ty| {
            let is_new = ty.kind == Kind::Class && !ty.is_abstract && !program.is_thrown(&ty.name);
            let has = |name: &str| ty.methods.iter().any(|m| m.name == name && m.is_static);
            match query {
                0 | 13 | 15 | 20 | 21 => is_new,
                1 => has("s1"),
                16 => ty.kind == Kind::Interface && ty.methods.iter().any(|m| m.name == "m1"),
                17 => ty.kind == Kind::Record,
                18 => ty.kind == Kind::Enum,
                _ => true,
            }
        })?;
        Some(Check::Reflection(query, ty))
    }
}
