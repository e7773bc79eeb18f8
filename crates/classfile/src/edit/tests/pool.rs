use super::*;
use crate::{Constant, Error};

#[test]
fn constants_of_all_kinds_are_found_where_they_were_put() {
    let bytes = class(52, &[RETURN], &[], &[]);
    let parsed = ClassFile::parse(&bytes).unwrap();
    let mut pool = PoolBuilder::new(&parsed);
    let long = pool.long(-2).unwrap();
    let integer = pool.integer(-3).unwrap();
    let double = pool.double(0.5).unwrap();
    let float = pool.float(1.5).unwrap();
    let string = pool.string(b"text").unwrap();
    let bytes = apply(&parsed, pool, &[]).unwrap();
    let pool = ClassFile::parse(&bytes).unwrap().pool;
    let get = |index| pool.get(index).unwrap();
    assert_eq!(get(long), Constant::Long((-2_i64).cast_unsigned()));
    assert_eq!(get(integer), Constant::Integer((-3_i32).cast_unsigned()));
    assert_eq!(get(double), Constant::Double(0.5_f64.to_bits()));
    assert_eq!(get(float), Constant::Float(1.5_f32.to_bits()));
    let Constant::String { utf8 } = get(string) else {
        panic!("no string");
    };
    assert_eq!(pool.utf8(utf8).unwrap(), b"text");
}

#[test]
fn a_pool_ends_where_the_format_does() {
    let bytes = class(52, &[RETURN], &[], &[]);
    let parsed = ClassFile::parse(&bytes).unwrap();
    let mut pool = PoolBuilder::new(&parsed);
    let full = loop {
        if let Err(error) = pool.long(1) {
            break error;
        }
    };
    let what = "constant pool";
    assert_eq!(full, Error::TooLarge { what });
}
