//! Where classes are: class path entries, jars and places that survive a move.
