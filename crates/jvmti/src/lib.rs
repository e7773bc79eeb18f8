//! The boundary to the JVM: raw tables and checked calls.
