//! What a change selects: tests, their dependencies, and reasons as values.
