//! Runs the real `tamis` on real projects with real JVMs. Needs Maven, Maven Central once, and JDK
//! 17 and 25.

mod asking;
mod audit;
mod bad_input;
mod cut_off;
mod demo;
mod members;
mod modes;
mod replay;
mod shapes;
mod shared_state;
mod single_tests;
mod statics;
mod stories;
mod support;
