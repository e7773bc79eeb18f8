use std::fmt;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // see `description`
pub enum Operator {
    DroppedInterface,
    RemovedOverride,
    ConditionalBoundary,
    NegatedConditional,
    Arithmetic,
    Increment,
    RemovedNegation,
    InsertedNegation,
    Constant,
    StringConstant,
    ReturnValue,
    RemovedCall,
    CallResult,
    FieldInitializer,
}

impl Operator {
    /// All of them, in the order in which they are listed for one place.
    pub const ALL: [Operator; 14] = [
        Operator::DroppedInterface,
        Operator::RemovedOverride,
        Operator::ConditionalBoundary,
        Operator::NegatedConditional,
        Operator::Arithmetic,
        Operator::Increment,
        Operator::RemovedNegation,
        Operator::InsertedNegation,
        Operator::Constant,
        Operator::StringConstant,
        Operator::ReturnValue,
        Operator::RemovedCall,
        Operator::CallResult,
        Operator::FieldInitializer,
    ];

    /// Its name, which stays the same from version to version.
    pub fn name(self) -> &'static str {
        match self {
            Operator::DroppedInterface => "dropped-interface",
            Operator::RemovedOverride => "removed-override",
            Operator::ConditionalBoundary => "conditional-boundary",
            Operator::NegatedConditional => "negated-conditional",
            Operator::Arithmetic => "arithmetic",
            Operator::Increment => "increment",
            Operator::RemovedNegation => "removed-negation",
            Operator::InsertedNegation => "inserted-negation",
            Operator::Constant => "constant",
            Operator::StringConstant => "string-constant",
            Operator::ReturnValue => "return-value",
            Operator::RemovedCall => "removed-call",
            Operator::CallResult => "call-result",
            Operator::FieldInitializer => "field-initializer",
        }
    }

    /// Its description in one line.
    pub fn description(self) -> &'static str {
        match self {
            Operator::DroppedInterface => {
                "a class that is not abstract no longer implements an interface"
            }
            Operator::RemovedOverride => {
                "a method that may override another is removed, so that the inherited one is found"
            }
            Operator::ConditionalBoundary => "`<` becomes `<=`, `>=` becomes `>`, and back",
            Operator::NegatedConditional => {
                "`==` becomes `!=`, `<` becomes `>=`, null becomes not null, and back"
            }
            Operator::Arithmetic => {
                "`+` and `-`, `*` and `/`, `<<` and `>>`, `&` and `|` change places; `%` becomes `*`, `>>>` becomes `<<`, `^` becomes `&`"
            }
            Operator::Increment => "a local variable is incremented by -n instead of n",
            Operator::RemovedNegation => "`-x` becomes `x`",
            Operator::InsertedNegation => "a method returns `-x` instead of `x`",
            Operator::Constant => "a number differs by one, or becomes 0; 0 becomes 1",
            Operator::StringConstant => "a string becomes empty; an empty one becomes `mutant`",
            Operator::ReturnValue => "a method returns 0, false, true or null",
            Operator::RemovedCall => "a method that returns nothing is not called",
            Operator::CallResult => "a method is not called, and its result is 0, false or null",
            Operator::FieldInitializer => {
                "a constructor or class initializer stores 0, false or null in a field"
            }
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
