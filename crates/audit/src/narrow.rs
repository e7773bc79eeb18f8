/// The result of a search among candidates for the one that matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Narrowed<T> {
    /// This one is enough.
    One(T),
    /// None alone is enough, or halves of them are not.
    Several,
    /// The search had to stop.
    Stopped,
}

/// Searches for the one candidate that alone has the effect that all together have. `has_effect` tries some of
/// them; `None` stops the search. What is found was tried alone.
pub fn narrow<T: Clone, E>(
    candidates: &[T],
    mut has_effect: impl FnMut(&[T]) -> Result<Option<bool>, E>,
) -> Result<Narrowed<T>, E> {
    let mut left = candidates;
    let mut tried = false;
    while left.len() > 1 {
        let (first, second) = left.split_at(left.len() / 2);
        left = match has_effect(first)? {
            None => return Ok(Narrowed::Stopped),
            Some(true) => first,
            Some(false) => match has_effect(second)? {
                None => return Ok(Narrowed::Stopped),
                Some(true) => second,
                Some(false) => return Ok(Narrowed::Several),
            },
        };
        tried = true;
    }
    let Some(one) = left.first() else {
        return Ok(Narrowed::Several);
    };
    Ok(match tried || has_effect(left)? == Some(true) {
        true => Narrowed::One(one.clone()),
        false => Narrowed::Several,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches among `0..of` for numbers that have an effect only together, with so many tries.
    fn check(of: u32, together: &[u32], most: usize, expected: Narrowed<u32>) {
        let all: Vec<u32> = (0..of).collect();
        let mut tries = 0;
        let found = narrow(&all, |some| {
            tries += 1;
            let effect = together.iter().all(|one| some.contains(one));
            Ok::<_, ()>((tries <= most).then_some(effect))
        });
        assert_eq!(found, Ok(expected));
    }

    #[test]
    fn one_candidate_is_found_in_few_tries() {
        check(100, &[77], 14, Narrowed::One(77));
        check(100, &[0], 7, Narrowed::One(0));
        check(1, &[0], 1, Narrowed::One(0));
        check(100, &[77], 3, Narrowed::Stopped);
    }

    #[test]
    fn what_only_several_do_together_is_said_so() {
        check(100, &[3, 77], 99, Narrowed::Several);
        check(0, &[], 9, Narrowed::Several);
        // It had its effect once and has it no more.
        check(1, &[5], 9, Narrowed::Several);
    }
}
