//! Turns a class into checksums that ignore what cannot change behaviour.
