//! Starts the tests of a project through its build tool.
