//! Where code stands, and what it may name there.

use crate::model::*;
use crate::random::Random;

/// Where code stands, which decides what it may name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    /// Types before this one may be named.
    pub(crate) rank: usize,
    /// Methods of the own object below this level may be called.
    pub(crate) level: u32,
    /// The type around the code.
    pub(crate) around: Option<String>,
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
            around: Some(ty.name.clone()),
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

fn outermost(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

impl Maker<'_> {
    fn types(&self, is_wanted: impl Fn(&Type) -> bool) -> Vec<String> {
        let before = self.program.types.iter().take(self.scope.rank);
        let wanted = before.filter(|ty| is_wanted(ty));
        wanted.map(|ty| ty.name.clone()).collect()
    }

    pub(super) fn a_type(&mut self, is_wanted: impl Fn(&Type) -> bool) -> Option<String> {
        let all = self.types(is_wanted);
        self.random.pick(&all).cloned()
    }

    /// The methods of a type that may be called from here, with the kind of objects they need.
    pub(super) fn methods(&self, ty: &str, is_wanted: impl Fn(&Method) -> bool) -> Vec<Method> {
        let own = self.scope.around.as_deref().map(outermost);
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
}
