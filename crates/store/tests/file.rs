//! The store as a file.

mod support;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use support::Fixture;
use tamis_store::{Project, Store, StoreError};

const WAIT: Duration = Duration::from_secs(30);

fn saved() -> Fixture {
    let mut fixture = Fixture::new(&[("tests/p/T.class", "T")]);
    fixture.pass(&[("p.T", &["tests/p/T"])]);
    fixture.store.save(&fixture.project()).unwrap();
    fixture
}

/// Loading must refuse `bytes`, say `why`, and keep them aside.
fn check_refused(fixture: &Fixture, bytes: &[u8], why: &str) {
    let file = fixture.path(".tamis/store");
    fs::write(&file, bytes).unwrap();
    let loaded = Store::load(&fixture.project()).unwrap();
    assert_eq!(loaded.store, Store::default());
    let warning = loaded.warning.unwrap();
    assert!(warning.to_string().contains("everything runs"), "{warning}");
    assert!(warning.why.contains(why), "{warning}");
    assert!(!file.exists());
    let kept = warning.backup.unwrap();
    assert_eq!(fs::read(&kept).unwrap(), bytes);
    fs::remove_file(kept).unwrap();
}

#[test]
fn what_was_saved_is_loaded() {
    let fixture = saved();
    let loaded = Store::load(&fixture.project()).unwrap();
    assert_eq!(loaded.warning, None);
    assert_eq!(loaded.store, fixture.store);
    assert_eq!(
        fs::read_to_string(fixture.path(".tamis/.gitignore")).unwrap(),
        "*\n"
    );
    let left: Vec<_> = fs::read_dir(fixture.path(".tamis")).unwrap().collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn no_store_is_an_empty_store() {
    let dir = tempfile::tempdir().unwrap();
    let project = Project {
        root: dir.path().to_owned(),
    };
    let loaded = Store::load(&project).unwrap();
    assert_eq!((loaded.store, loaded.warning), (Store::default(), None));
    assert!(!project.dir().exists());
}

#[test]
fn any_flipped_bit_is_refused() {
    let fixture = saved();
    let good = fs::read(fixture.path(".tamis/store")).unwrap();
    for bit in 0..good.len() * 8 {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        check_refused(&fixture, &bad, "");
    }
}

#[test]
fn any_cut_and_any_addition_is_refused() {
    let fixture = saved();
    let good = fs::read(fixture.path(".tamis/store")).unwrap();
    for length in 0..good.len() {
        check_refused(&fixture, &good[..length], "cut off");
    }
    check_refused(&fixture, &[good.as_slice(), b"x"].concat(), "lengthened");
}

#[test]
fn foreign_and_newer_files_are_refused_for_what_they_are() {
    let fixture = saved();
    let good = fs::read(fixture.path(".tamis/store")).unwrap();
    check_refused(&fixture, b"SQLite format 3\0", "not a store of tamis");
    check_refused(&fixture, &[0; 4096], "not a store of tamis");
    let mut newer = good.clone();
    newer[12] += 1;
    let why = format!("another version of tamis (format {},", newer[12]);
    check_refused(&fixture, &newer, &why);
    let mut huge = good.clone();
    huge[16..24].copy_from_slice(&(1u64 << 60).to_le_bytes());
    check_refused(&fixture, &huge, "cut off");
}

#[test]
fn damaged_stores_are_kept_side_by_side() {
    let fixture = saved();
    for n in (1..=9).chain([9]) {
        fs::write(fixture.path(".tamis/store"), "bad").unwrap();
        let kept = Store::load(&fixture.project())
            .unwrap()
            .warning
            .unwrap()
            .backup
            .unwrap();
        assert_eq!(kept, fixture.path(&format!(".tamis/store.damaged-{n}")));
    }
}

#[test]
fn a_directory_in_place_of_the_store_is_refused() {
    let fixture = saved();
    fs::remove_file(fixture.path(".tamis/store")).unwrap();
    fs::create_dir(fixture.path(".tamis/store")).unwrap();
    let loaded = Store::load(&fixture.project()).unwrap();
    assert!(loaded.warning.is_some());
    fixture.store.save(&fixture.project()).unwrap();
}

#[test]
fn a_failed_save_leaves_the_store_as_it_was() {
    let fixture = saved();
    let good = fs::read(fixture.path(".tamis/store")).unwrap();
    let dir = fixture.path(".tamis");
    fs::set_permissions(&dir, Permissions::from_mode(0o555)).unwrap();
    // The superuser can write all the same.
    let can_write = fs::write(dir.join("x"), "").is_ok();
    let result = Store::default().save(&fixture.project());
    fs::set_permissions(&dir, Permissions::from_mode(0o755)).unwrap();
    if !can_write {
        assert!(matches!(
            result,
            Err(StoreError::Io {
                action: "write",
                ..
            })
        ));
        assert_eq!(fs::read(dir.join("store")).unwrap(), good);
    }
}

#[test]
fn class_versions_that_no_test_refers_to_are_dropped() {
    let mut fixture = saved();
    let size = || fs::metadata(fixture.path(".tamis/store")).unwrap().len();
    let before = size();
    let project = fixture.project();
    for n in 0..50 {
        fixture.write("tests/p/T.class", format!("{n}"));
        let mut store = Store::load(&project).unwrap().store;
        let spool = fixture.jvm().passed("p.T", &["tests/p/T"]).spool();
        store.absorb(&project, vec![spool]);
        store.save(&project).unwrap();
    }
    assert_eq!(size(), before);
    fixture.store = Store::load(&project).unwrap().store;
    fixture.check(&["p.T:"]);
}

#[test]
fn a_lock_keeps_others_out_and_tells_who_holds_it() {
    let fixture = saved();
    let project = fixture.project();
    let lock = Store::lock(&project, Duration::ZERO).unwrap();
    let error = Store::lock(&project, Duration::from_millis(20)).unwrap_err();
    let holder = Some(std::process::id());
    assert!(matches!(error, StoreError::Locked { holder: pid } if pid == holder));
    assert!(error.to_string().contains(&std::process::id().to_string()));
    drop(lock);
    Store::lock(&project, Duration::ZERO).unwrap();
}

#[test]
fn nothing_is_lost_when_many_save_at_once() {
    let fixture = Fixture::default();
    let project = fixture.project();
    for n in 0..8 {
        fixture.write(&format!("tests/p/T{n}.class"), "T");
    }
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (project, fixture) = (&project, &fixture);
            scope.spawn(move || {
                let file = format!("tests/p/T{n}");
                let jvm = fixture.jvm().passed(&format!("p.T{n}"), &[&file]);
                let _lock = Store::lock(project, WAIT).unwrap();
                let loaded = Store::load(project).unwrap();
                assert_eq!(loaded.warning, None);
                let mut store = loaded.store;
                store.absorb(project, vec![jvm.spool()]);
                store.save(project).unwrap();
            });
        }
    });
    assert_eq!(Store::load(&project).unwrap().store.modules()[0].tests, 8);
}
