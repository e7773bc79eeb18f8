//! What code refers to without calling it.
