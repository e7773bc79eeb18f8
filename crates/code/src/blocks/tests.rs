//! Control-flow graphs written as text. Blocks are parted by `;`. A block is a word for what it does,
//! then where it leads: nowhere, to a block, to two (a branch), or `key=block` and `*block` (a
//! switch); `!block` is a handler around it.

mod class;
mod code;

use super::graph::{Block, Blocks, Exit};
use super::*;

fn blocks(text: &str) -> Blocks {
    let blocks = text.split(';').map(block).collect();
    Blocks { blocks }
}

fn block(text: &str) -> Block {
    let mut words = text.split_whitespace();
    let content = words.next().unwrap().bytes();
    let digest = content.fold(1, |hash: u128, byte| hash * 1009 + u128::from(byte));
    let (mut next, mut handlers, mut cases, mut default) = (vec![], vec![], vec![], None);
    for word in words {
        if let Some(handler) = word.strip_prefix('!') {
            handlers.push(handler.parse().unwrap());
        } else if let Some(block) = word.strip_prefix('*') {
            default = Some(block.parse().unwrap());
        } else if let Some((key, block)) = word.split_once('=') {
            cases.push((key.parse().unwrap(), block.parse().unwrap()));
        } else {
            next.push(word.parse().unwrap());
        }
    }
    let exit = match (next.as_slice(), default) {
        (_, Some(default)) => Exit::Switch { default, cases },
        ([], None) => Exit::End,
        (&[next], None) => Exit::Next(next),
        (&[taken, next], None) => Exit::Branch { taken, next },
        (more, None) => panic!("{more:?}"),
    };
    Block {
        digest,
        exit,
        handlers,
    }
}

fn check(before: &str, now: &str, expected: &[u16]) {
    let actual = compare(&blocks(before), &blocks(now));
    assert_eq!(actual.as_deref(), Some(expected), "{before} -> {now}");
}

#[test]
fn methods_that_do_the_same_have_no_dangerous_block() {
    for same in [
        "a",
        "a 1;b",
        "a 2 1;b 2;c",
        "a 1;b 2 1;c",
        "a 0",
        "a *1 5=2;b;c",
        "a 1 !2;b;c 1 !2",
    ] {
        check(same, same, &[]);
    }
}

#[test]
fn a_block_is_dangerous_if_it_does_something_else() {
    check("a", "x", &[0]);
    check("a 2 1;b 2;c", "a 2 1;x 2;c", &[1]);
    check("a 2 1;b 2;c", "a 2 1;b 2;x", &[2]);
    check("a 1;b 2 1;c", "a 1;x 2 1;c", &[1, 2]);
}

#[test]
fn only_runs_that_take_the_changed_way_are_in_danger() {
    let before = "if 1 3;then 2;more 4;else 4;end";
    check(before, "if 1 3;then 2;MORE 4;else 4;end", &[2]);
    check(before, "if 1 3;then 2;more 4;ELSE 4;end", &[3]);
    check(before, "if 3 1;then 2;more 4;else 4;end", &[1, 2, 3, 4]);
}

#[test]
fn the_order_of_blocks_in_the_code_does_not_matter() {
    check("a 1 2;b 3;c 3;d", "a 3 1;c 2;d;b 2", &[]);
    check("a 1 2;b 3;c 3;d", "a 3 1;C 2;d;b 2", &[2]);
}

#[test]
fn a_block_that_comes_between_endangers_the_one_that_came_there_before() {
    check("a 1;b", "a 1;new 2;b", &[1]);
    check("a 1 2;b 2;c", "a 1 3;b 2;new 3;c", &[2]);
    check("a 1;new 2;b", "a 1;b", &[1, 2]);
}

#[test]
fn loops_end_in_the_same_way() {
    check("head 2 1;body 0;end", "head 2 1;body 0;end", &[]);
    check("head 2 1;body 0;end", "head 2 1;body 2;end", &[0]);
    check("forever 0", "forever 0", &[]);
    check("forever 0", "forever 1;end", &[0]);
    check("forever 1;end", "forever 0", &[1]);
    check("a 1;spin 1", "a 1;spin 2;spin 1", &[1]);
}

#[test]
fn a_block_with_two_partners_is_dangerous() {
    // One copy of `end` becomes two, and two become one.
    check("a 1 2;b 3;c 3;end", "a 1 2;b 3;c 4;end;end", &[3]);
    check("a 1 2;b 3;c 4;end;end", "a 1 2;b 3;c 3;end", &[3]);
}

#[test]
fn switches_are_compared_by_value() {
    let before = "s *3 1=1 5=2;one;five;other";
    check(before, "s *1 1=2 5=3;other;one;five", &[]);
    check(before, "s *3 1=1 5=2;ONE;five;other", &[1]);
    check(before, "s *3 1=1 5=2;one;five;OTHER", &[3]);
    // A value that was not named, one that is no more, one that goes elsewhere.
    check(before, "s *3 1=1 5=2 7=4;one;five;other;seven", &[3]);
    check(before, "s *2 1=1;one;other", &[2]);
    check(before, "s *3 1=2 5=2;one;five;other", &[1]);
    check(before, "s *3 1=2 5=1;one;five;other", &[1, 2]);
    check(
        "s *1 -2147483648=2 2147483647=2;a;b",
        "s *1 2147483647=2;a;b",
        &[2],
    );
}

#[test]
fn handlers_are_compared_where_they_are_reached() {
    let before = "try 2 !1;catch 2;end";
    check(before, "try 1 !2;end;catch 1", &[]);
    check(before, "try 2 !1;CATCH 2;end", &[1]);
    check(before, "try 2;catch 2;end", &[0, 1, 2]);
    // Two handlers change places: their types are in the digest, which stays as it is here.
    check("try !1 !2;a;b", "try !1 !2;b;a", &[1, 2]);
    check(
        "try 3 !1 !2;a 3 !2;finally;end",
        "try 3 !1 !2;a 3 !2;FINALLY;end",
        &[2],
    );
    check("try !0", "try !0", &[]);
    check("try !0", "try !1;other", &[0]);
}

#[test]
fn what_no_run_can_reach_is_dangerous_only_beside_what_is() {
    check("a 2;dead 2;b", "a 1;b", &[]);
    check("a 2;dead 1;b", "a 2;DEAD 1;b", &[]);
    check("a 2;dead 2;b", "a 1;B", &[1, 2]);
    check("a 2;b;c", "a 1;b;c", &[1, 2]);
}

#[test]
fn nothing_is_said_about_what_is_unknown() {
    let unknown = Blocks { blocks: vec![] };
    assert_eq!(compare(&unknown, &blocks("a")), None);
    assert_eq!(compare(&blocks("a"), &unknown), None);
    assert_eq!(compare(&unknown, &unknown), None);
}

#[test]
fn equal_digests_that_lead_elsewhere_are_dangerous() {
    check("a 1;b", "a", &[0, 1]);
    check("a 1 1;b", "a 1;b", &[0, 1]);
    check("a *1;b", "a 1;b", &[0, 1]);
    check("a 1 !1;b", "a 1;b", &[0, 1]);
}

/// Calls `visit` with every graph of three blocks that has no switches and handlers.
fn small_graphs(visit: &mut dyn FnMut(&Blocks)) {
    let mut exits = vec![Exit::End];
    for a in 0..3 {
        exits.push(Exit::Next(a));
        exits.extend((0..3).map(|b| Exit::Branch { taken: a, next: b }));
    }
    let some = |digest: u128, exit: &Exit| Block {
        digest,
        exit: exit.clone(),
        handlers: vec![],
    };
    // What a block does tells how it ends.
    let kind = |exit: &Exit| match exit {
        Exit::End => 0,
        Exit::Next(_) => 1,
        _ => 2,
    };
    for a in &exits {
        for b in &exits {
            for c in &exits {
                for contents in 0..8 {
                    let content = |bit: u128, exit| kind(exit) * 2 + (contents >> bit & 1);
                    let blocks = vec![
                        some(content(0, a), a),
                        some(content(1, b), b),
                        some(content(2, c), c),
                    ];
                    visit(&Blocks { blocks });
                }
            }
        }
    }
}

/// What a run does that decides at branches by the bits of `choices`, and which blocks it meets.
fn run(blocks: &Blocks, mut choices: u32) -> (Vec<u128>, Vec<u16>) {
    let (mut trace, mut met, mut at) = (vec![], vec![], 0);
    for _ in 0..8 {
        let block = &blocks.blocks[usize::from(at)];
        trace.push(block.digest);
        met.push(at);
        at = match block.exit {
            Exit::End => break,
            Exit::Next(next) => next,
            Exit::Branch { taken, next } => {
                let is_taken = choices & 1 == 1;
                choices >>= 1;
                if is_taken { taken } else { next }
            }
            Exit::Switch { .. } => unreachable!(),
        };
    }
    (trace, met)
}

#[test]
fn every_run_that_meets_no_dangerous_block_is_the_same_now() {
    let mut graphs = vec![];
    let mut number = 0;
    small_graphs(&mut |blocks| {
        number += 1;
        if number % 97 == 0 {
            graphs.push(blocks.clone());
        }
    });
    let mut harmless = 0;
    for before in &graphs {
        for now in &graphs {
            let dangerous = compare(before, now).unwrap();
            for choices in 0..32 {
                let (trace, met) = run(before, choices);
                if met.iter().any(|block| dangerous.contains(block)) {
                    continue;
                }
                assert_eq!(
                    run(now, choices).0,
                    trace,
                    "{before:?}\n{now:?} {dangerous:?}"
                );
                harmless += 1;
            }
        }
    }
    assert!(harmless > 1000, "{harmless}");
}

#[test]
fn blocks_survive_their_bytes() {
    let unknown = Blocks { blocks: vec![] };
    for text in ["a", "a 2 1;b 0;c", "a *1 -7=2 0=0 2147483647=2;b !2 !0;c"] {
        let methods = [unknown.clone(), blocks(text), blocks("b")];
        let bytes = encode_all(&methods);
        assert_eq!(decode_all(&bytes).as_deref(), Some(&methods[..]), "{text}");
        for end in 0..bytes.len() {
            assert_eq!(decode_all(&bytes[..end]), None, "{text} up to {end}");
        }
        for at in 0..bytes.len() {
            for value in 0..=255 {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                if let Some(read) = decode_all(&damaged) {
                    assert_eq!(encode_all(&read), damaged);
                    for blocks in &read {
                        let _ = compare(blocks, blocks);
                    }
                }
            }
        }
        assert_eq!(decode_all(&[bytes, vec![0]].concat()), None);
    }
    assert_eq!(decode_all(&encode_all(&[])), Some(vec![]));
}
