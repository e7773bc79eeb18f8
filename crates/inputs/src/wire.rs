//! Inputs as bytes, the same in recordings and in the store.

use crate::{Aspect, Input};
use tamis_wire::{Reader, Writer};

impl<P> Input<P> {
    /// Writes the input; `write_place` writes where a file is.
    pub fn write(
        &self,
        out: &mut Writer,
        write_place: impl for<'w> FnOnce(&'w mut Writer, &P) -> &'w mut Writer,
    ) {
        match self {
            Input::File {
                place,
                aspect,
                test_created,
            } => write_place(out.byte(0), place)
                .byte(*aspect as u8)
                .texts(test_created),
            Input::Resource { name, all } => out.byte(1).text(name).flag(*all),
            Input::Archive(url) => out.byte(2).text(url),
            Input::Property(name) => out.byte(3).text(name),
            Input::Variable(name) => out.byte(4).text(name),
            Input::Pattern(pattern) => out.byte(5).text(pattern),
            Input::Process { pid, is_jvm } => out.byte(6).number(*pid).flag(*is_jvm),
            Input::Entry { place, name } => write_place(out.byte(7), place).text(name),
            Input::Linked(name) => out.byte(8).text(name),
            Input::Declared(name) => out.byte(9).text(name),
        };
    }

    /// Reads what [`write`](Input::write) wrote; `None` for anything else.
    pub fn read<'a>(
        from: &mut Reader<'a>,
        read_place: impl FnOnce(&mut Reader<'a>) -> Option<P>,
    ) -> Option<Input<P>> {
        Some(match from.byte()? {
            0 => Input::File {
                place: read_place(from)?,
                aspect: *Aspect::ALL.get(usize::from(from.byte()?))?,
                test_created: from.texts()?,
            },
            1 => Input::Resource {
                name: from.text()?.to_owned(),
                all: from.flag()?,
            },
            2 => Input::Archive(from.text()?.to_owned()),
            3 => Input::Property(from.text()?.to_owned()),
            4 => Input::Variable(from.text()?.to_owned()),
            5 => Input::Pattern(from.text()?.to_owned()),
            6 => Input::Process {
                pid: from.number()?,
                is_jvm: from.flag()?,
            },
            7 => Input::Entry {
                place: read_place(from)?,
                name: from.text()?.to_owned(),
            },
            8 => Input::Linked(from.text()?.to_owned()),
            9 => Input::Declared(from.text()?.to_owned()),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Input<u32>> {
        let files = Aspect::ALL.map(|aspect| Input::File {
            place: 300,
            aspect,
            test_created: vec!["a".into(), "é".into()],
        });
        let name = || "a/b".to_owned();
        let others = [
            Input::Resource {
                name: name(),
                all: true,
            },
            Input::Archive(name()),
            Input::Property(name()),
            Input::Variable(name()),
            Input::Pattern(name()),
            Input::Process {
                pid: 70_000,
                is_jvm: true,
            },
            Input::Entry {
                place: 0,
                name: name(),
            },
            Input::Linked(name()),
            Input::Declared(name()),
        ];
        files.into_iter().chain(others).collect()
    }

    fn written(input: &Input<u32>) -> Vec<u8> {
        let mut out = Writer::default();
        input.write(&mut out, |out, place| out.number(*place));
        out.finish()
    }

    fn read(bytes: &[u8]) -> Option<Input<u32>> {
        tamis_wire::read(bytes, |from| Input::read(from, Reader::number))
    }

    #[test]
    fn every_input_is_read_as_it_was_written() {
        for input in samples() {
            let bytes = written(&input);
            assert_eq!(read(&bytes), Some(input));
            for length in 0..bytes.len() {
                assert_eq!(read(&bytes[..length]), None);
            }
        }
    }

    #[test]
    fn damaged_inputs_are_refused_or_others() {
        for input in samples() {
            let bytes = written(&input);
            for at in 0..bytes.len() {
                for value in 0..=u8::MAX {
                    let mut damaged = bytes.clone();
                    damaged[at] = value;
                    if let Some(other) = read(&damaged) {
                        assert_eq!(written(&other), damaged);
                    }
                }
            }
        }
    }
}
