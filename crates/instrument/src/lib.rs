//! Decides where probes go in a class and inserts them.
