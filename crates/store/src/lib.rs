//! Keeps what tests used and how they ended.
