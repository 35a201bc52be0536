//! What the core refuses: the name of a class in `rankmark.errors`, and the message.

/// An error to be raised in Python as `rankmark.errors.<class>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Name of the class in `rankmark.errors`.
    pub class: &'static str,
    /// What is wrong, where, and what to do.
    pub message: String,
}

/// The core's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Data that cannot be evaluated as it is.
    pub fn data(message: impl Into<String>) -> Self {
        Self { class: "DataError", message: message.into() }
    }

    /// A file that does not follow its format.
    pub fn format(message: impl Into<String>) -> Self {
        Self { class: "FormatError", message: message.into() }
    }

    /// Ids of different types in the two tables.
    pub fn id_type(message: impl Into<String>) -> Self {
        Self { class: "IdTypeError", message: message.into() }
    }
}
