//! The native agent.
