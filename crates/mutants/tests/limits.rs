//! Methods and pools that have no room for more.

mod support;

use support::compile;
use support::jdk::Jdk;
use support::scratch;
use tamis_mutants::{Mutant, Operator, mutants};

/// The mutants of a class `Large` with this body; all that are looked at can be applied.
fn listed(name: &str, body: &str) -> Vec<Mutant> {
    let source = scratch(name).join("Large.java");
    std::fs::write(&source, format!("class Large {{\n{body}\n}}")).expect("source");
    let source = source.to_str().expect("plain path");
    let classes = compile(&Jdk::find(17), &[source], &[], name);
    let mutants = mutants(&classes["Large"]).expect("mutants");
    let step = mutants.len() / 100 + 1;
    let last = mutants.len().saturating_sub(10);
    for (index, mutant) in mutants.iter().enumerate() {
        if index % step == 0 || index > last {
            mutant.apply(&classes["Large"]).expect("mutated class");
        }
    }
    mutants
}

fn has(mutants: &[Mutant], operator: Operator) -> bool {
    mutants.iter().any(|mutant| mutant.operator == operator)
}

#[test]
fn a_method_of_almost_64_kilobytes_gets_no_longer_than_it_may() {
    // Six bytes each, two for the return: one more fits, two do not.
    let lines = "x = x * 3 + 2;\n".repeat(10_922);
    let mutants = listed(
        "long-method",
        &format!("static int big(int x) {{ {lines} return x; }}"),
    );
    assert!(has(&mutants, Operator::InsertedNegation));
    assert!(!has(&mutants, Operator::ReturnValue));
    assert!(has(&mutants, Operator::Arithmetic));
}

#[test]
fn a_jump_that_goes_as_far_as_it_can_goes_no_further() {
    // 32,767 bytes around the lines, and what takes the place of the call needs one more.
    let lines = "x = x * 3 + 2;\n".repeat(5_458);
    let mutants = listed(
        "long-jump",
        &format!(
            "static void call(int a, int b, int c, int d) {{}}
             static int far(int x) {{ if (x > 7) {{ {lines} call(x, x, x, x); x++; x++; x++; }} return x; }}"
        ),
    );
    assert!(!has(&mutants, Operator::RemovedCall));
    assert!(has(&mutants, Operator::ReturnValue));
}

#[test]
fn a_full_pool_takes_no_more_constants() {
    // Two entries for each string fill what the rest of the class leaves.
    let strings = |from: usize, to: usize| {
        let calls = (from..to).map(|i| format!("f(\"{i:x}\");"));
        calls.collect::<String>()
    };
    let methods = (0..8).map(|m| {
        let (from, to) = (m * 4000, m * 4000 + 4000);
        format!("static void m{m}() {{ {} }}\n", strings(from, to))
    });
    let methods: String = methods.collect();
    let rest = strings(32_000, 32_755);
    let mutants = listed(
        "full-pool",
        &format!("static void f(String s) {{}}\n{methods} static void rest() {{ {rest} }}"),
    );
    assert!(!has(&mutants, Operator::StringConstant));
    assert!(has(&mutants, Operator::RemovedCall));
}
