//! Values are read as they were written, and bytes that nobody writes are refused.

use proptest::collection::vec;
use proptest::prelude::*;
use tamis_wire::{Reader, Writer, read};

/// What is written, or expected.
#[derive(Debug, Clone)]
enum Shape {
    Byte,
    Flag,
    Number,
    Small,
    Below(usize),
    Fixed,
    Digest,
    Bytes,
    Text,
    Texts,
    Ascending,
    Pairs,
    Option(Box<Shape>),
    List(Box<Shape>),
    Both(Box<Shape>, Box<Shape>),
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Byte(u8),
    Flag(bool),
    Number(u64),
    Small(u32),
    Fixed([u8; 3]),
    Digest(u128),
    Bytes(Vec<u8>),
    Text(String),
    Texts(Vec<String>),
    Ascending(Vec<u32>),
    Pairs(Vec<(u32, u32)>),
    Option(Option<Box<Value>>),
    List(Vec<Value>),
    Both(Box<Value>, Box<Value>),
}

fn write<'w>(writer: &'w mut Writer, value: &Value) -> &'w mut Writer {
    match value {
        Value::Byte(byte) => writer.byte(*byte),
        Value::Flag(flag) => writer.flag(*flag),
        Value::Number(number) => writer.number(*number),
        Value::Small(number) => writer.number(*number),
        Value::Fixed(bytes) => writer.fixed(*bytes),
        Value::Digest(digest) => writer.digest(*digest),
        Value::Bytes(bytes) => writer.bytes(bytes),
        Value::Text(text) => writer.text(text),
        Value::Texts(texts) => writer.texts(texts),
        Value::Ascending(numbers) => writer.ascending(numbers),
        Value::Pairs(pairs) => writer.pairs(pairs),
        Value::Option(value) => writer.option(value.as_deref(), write),
        Value::List(values) => writer.list(values, write),
        Value::Both(one, other) => write(write(writer, one), other),
    }
}

fn expect(reader: &mut Reader<'_>, shape: &Shape) -> Option<Value> {
    Some(match shape {
        Shape::Byte => Value::Byte(reader.byte()?),
        Shape::Flag => Value::Flag(reader.flag()?),
        Shape::Number => Value::Number(reader.number()?),
        Shape::Small => Value::Small(reader.number()?),
        Shape::Below(end) => Value::Small(reader.below(*end)?),
        Shape::Fixed => Value::Fixed(reader.fixed()?),
        Shape::Digest => Value::Digest(reader.digest()?),
        Shape::Bytes => Value::Bytes(reader.bytes()?.to_vec()),
        Shape::Text => Value::Text(reader.text()?.to_owned()),
        Shape::Texts => Value::Texts(reader.texts()?),
        Shape::Ascending => Value::Ascending(reader.ascending()?),
        Shape::Pairs => Value::Pairs(reader.pairs()?),
        Shape::Option(shape) => {
            let value = reader.option(|reader| expect(reader, shape))?;
            Value::Option(value.map(Box::new))
        }
        Shape::List(shape) => Value::List(reader.list(|reader| expect(reader, shape))?),
        Shape::Both(one, other) => Value::Both(
            Box::new(expect(reader, one)?),
            Box::new(expect(reader, other)?),
        ),
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    let simple = prop_oneof![
        Just(Shape::Byte),
        Just(Shape::Flag),
        Just(Shape::Number),
        Just(Shape::Small),
        (1..300usize).prop_map(Shape::Below),
        Just(Shape::Fixed),
        Just(Shape::Digest),
        Just(Shape::Bytes),
        Just(Shape::Text),
        Just(Shape::Texts),
        Just(Shape::Ascending),
        Just(Shape::Pairs),
    ];
    simple.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|shape| Shape::Option(shape.into())),
            inner.clone().prop_map(|shape| Shape::List(shape.into())),
            (inner.clone(), inner).prop_map(|(a, b)| Shape::Both(a.into(), b.into())),
        ]
    })
}

fn number() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0..64).prop_map(|(number, shift)| number >> shift)
}

fn value(shape: &Shape) -> BoxedStrategy<Value> {
    match shape {
        Shape::Byte => any::<u8>().prop_map(Value::Byte).boxed(),
        Shape::Flag => any::<bool>().prop_map(Value::Flag).boxed(),
        Shape::Number => number().prop_map(Value::Number).boxed(),
        Shape::Small => any::<u32>().prop_map(Value::Small).boxed(),
        Shape::Below(end) => (0..*end as u32).prop_map(Value::Small).boxed(),
        Shape::Fixed => any::<[u8; 3]>().prop_map(Value::Fixed).boxed(),
        Shape::Digest => any::<u128>().prop_map(Value::Digest).boxed(),
        Shape::Bytes => vec(any::<u8>(), 0..200).prop_map(Value::Bytes).boxed(),
        Shape::Text => ".{0,9}".prop_map(Value::Text).boxed(),
        Shape::Texts => vec(".{0,3}", 0..4).prop_map(Value::Texts).boxed(),
        Shape::Ascending => vec(any::<u32>(), 0..5)
            .prop_map(|mut numbers| {
                numbers.sort_unstable();
                Value::Ascending(numbers)
            })
            .boxed(),
        Shape::Pairs => vec(any::<(u32, u32)>(), 0..5)
            .prop_map(|mut pairs| {
                pairs.sort_unstable();
                Value::Pairs(pairs)
            })
            .boxed(),
        Shape::Option(shape) => proptest::option::of(value(shape))
            .prop_map(|value| Value::Option(value.map(Box::new)))
            .boxed(),
        Shape::List(shape) => vec(value(shape), 0..5).prop_map(Value::List).boxed(),
        Shape::Both(one, other) => (value(one), value(other))
            .prop_map(|(one, other)| Value::Both(one.into(), other.into()))
            .boxed(),
    }
}

fn shape_and_value() -> impl Strategy<Value = (Shape, Value)> {
    shape().prop_flat_map(|shape| {
        let value = value(&shape);
        (Just(shape), value)
    })
}

fn written(value: &Value) -> Vec<u8> {
    let mut writer = Writer::default();
    write(&mut writer, value);
    writer.finish()
}

/// Reads, and sees that whatever is read is written as the same bytes.
fn read_all(bytes: &[u8], shape: &Shape) -> Option<Value> {
    let value = read(bytes, |reader| expect(reader, shape));
    if let Some(value) = &value {
        assert_eq!(written(value), bytes, "{value:?}");
    }
    value
}

proptest! {
    #[test]
    fn what_was_written_is_read((shape, value) in shape_and_value()) {
        prop_assert_eq!(read_all(&written(&value), &shape), Some(value));
    }

    #[test]
    fn any_cut_and_any_addition_is_refused((shape, value) in shape_and_value(), more: u8) {
        let mut bytes = written(&value);
        for length in 0..bytes.len() {
            prop_assert_eq!(read_all(&bytes[..length], &shape), None);
        }
        bytes.push(more);
        prop_assert_eq!(read_all(&bytes, &shape), None);
    }

    #[test]
    fn damaged_bytes_are_refused_or_another_value(
        (shape, value) in shape_and_value(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let good = written(&value);
        let mut bytes = good.clone();
        for (at, byte) in changes.iter().filter(|_| !good.is_empty()) {
            bytes[at.index(good.len())] = *byte;
        }
        if let Some(read) = read_all(&bytes, &shape) {
            prop_assert_eq!(read == value, bytes == good);
        }
    }

    #[test]
    fn any_bytes_are_refused_or_a_value(shape in shape(), bytes in vec(any::<u8>(), 0..60)) {
        read_all(&bytes, &shape);
    }
}

#[test]
fn numbers_are_as_short_as_they_can_be() {
    let check = |number: u64, bytes: &[u8]| {
        assert_eq!(written(&Value::Number(number)), bytes);
        assert_eq!(read(bytes, Reader::number), Some(number));
    };
    check(0, &[0]);
    check(0x7f, &[0x7f]);
    check(0x80, &[0x80, 1]);
    check(0x3fff, &[0xff, 0x7f]);
    check(0x4000, &[0x80, 0x80, 1]);
    check(u32::MAX.into(), &[0xff, 0xff, 0xff, 0xff, 0x0f]);
    check(1 << 63, &[[0x80; 9].as_slice(), &[1]].concat());
    check(u64::MAX, &[[0xff; 9].as_slice(), &[1]].concat());
}

#[test]
fn numbers_in_other_forms_are_refused() {
    let check = |bytes: &[u8]| assert_eq!(read(bytes, Reader::number::<u64>), None, "{bytes:?}");
    check(&[]);
    check(&[0x80]);
    check(&[0x80, 0]);
    check(&[0xff, 0x80, 0]);
    check(&[[0xff; 9].as_slice(), &[2]].concat());
    check(&[[0xff; 9].as_slice(), &[0]].concat());
    check(&[[0xff; 9].as_slice(), &[0x81]].concat());
    check(&[[0xff; 10].as_slice(), &[1]].concat());
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let bytes = written(&Value::Number(0x1_0000));
    assert_eq!(read(&bytes, Reader::number::<u16>), None);
    assert_eq!(read(&bytes, Reader::number::<u32>), Some(0x1_0000));
    assert_eq!(read(&bytes, |reader| reader.below(0x1_0000)), None);
    assert_eq!(
        read(&bytes, |reader| reader.below(0x1_0001)),
        Some(0x1_0000)
    );
}

#[test]
fn numbers_that_ascend_too_far_are_refused() {
    let too_far = [2, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 0];
    assert_eq!(read(&too_far[..7], Reader::ascending), None);
    let pairs = [&too_far[..6], &[7, 1, 0]].concat();
    assert_eq!(read(&pairs, Reader::pairs), None);
}
