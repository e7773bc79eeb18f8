//! Lengths that lie take no memory.

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use tamis_wire::{Reader, Writer, read};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Reads a list of lists of things that are large when they are read.
fn large(reader: &mut Reader<'_>) -> Option<Vec<Vec<[u64; 64]>>> {
    reader.list(|reader| reader.list(|reader| Some([reader.number()?; 64])))
}

// One test alone, because others would take memory meanwhile.
#[test]
fn a_list_takes_no_more_memory_than_a_small_multiple_of_what_is_there() {
    let check = |bytes: &[u8], least: usize, most: usize| {
        let region = Region::new(ALLOCATOR);
        let value = read(bytes, large);
        let taken = region.change().bytes_allocated;
        assert_eq!(value.is_some(), least > 0);
        assert!((least..=most).contains(&taken), "{taken} bytes");
    };
    let lying = |counts: &[u64]| {
        let mut writer = Writer::default();
        counts.iter().for_each(|count| _ = writer.number(*count));
        writer.raw(&[0xff; 10_000]);
        writer.finish()
    };
    check(&lying(&[u64::MAX]), 0, 0);
    check(&lying(&[20_000]), 0, 0);
    check(&lying(&[9_000]), 0, 10_000);
    check(&lying(&[9_000, 9_000]), 0, 20_000);
    let mut honest = Writer::default();
    honest.list([0; 10], |writer, _| writer.list([7u64; 5], Writer::number));
    let size = size_of::<[u64; 64]>() * 50;
    check(honest.as_bytes(), size, 4 * size);
}
