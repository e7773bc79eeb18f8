//! Classes that the JDK makes at run time.

use super::Load;

/// Whether the JDK made the class at run time: such a class changes only when what it is made from
/// changes, and that has its own probes. Classes from files may have such names too, but they come
/// from somewhere.
pub(super) fn is_made_by_the_jdk(load: &Load<'_>) -> bool {
    let Some(name) = load.name else { return false };
    let accessor_or_proxy = || {
        let made = [
            b"jdk/internal/".as_slice(),
            b"sun/reflect/",
            b"jdk/proxy",
            b"com/sun/proxy/",
        ];
        // A proxy of an interface that is not public stands in that interface's package.
        let simple = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
        made.iter().any(|prefix| name.starts_with(prefix)) || simple.starts_with(b"$Proxy")
    };
    (load.protection_domain.is_none() && accessor_or_proxy()) || is_lambda(name)
}

/// Whether the name is that of a lambda's class: `Foo$$Lambda/0x01`, `Foo$$Lambda$12/34`.
fn is_lambda(name: &[u8]) -> bool {
    const MARK: &[u8] = b"$$Lambda";
    let at = name.windows(MARK.len()).rposition(|window| window == MARK);
    let rest = at
        .and_then(|at| name.get(at + MARK.len()..))
        .and_then(<[u8]>::split_first);
    match rest {
        Some((b'/', _)) => true,
        Some((b'$', number)) => {
            let digits = number
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            digits > 0 && matches!(number.get(digits), None | Some(b'/'))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_lambda;

    #[test]
    fn a_lambda_is_known_by_its_number_or_address() {
        let check =
            |name: &str, expected| assert_eq!(is_lambda(name.as_bytes()), expected, "{name}");
        check("a/Foo$$Lambda$12", true);
        check("a/Foo$$Lambda$12/34", true);
        check("a/Foo$$Lambda/0x0001", true);
        check("a/Foo$$Lambda$Util", false);
        check("a/Foo$$Lambda", false);
        check("a/Foo$$Lambda$1x", false);
        check("a/Foo", false);
    }
}
