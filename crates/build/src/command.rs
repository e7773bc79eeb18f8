mod gradle;

pub use gradle::for_purpose;
