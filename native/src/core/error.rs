//! What the core refuses, of which class it is, and the message.

/// What is wrong with what was asked for or given, as in `rankmark.errors`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A word that is none of those of a choice.
    Choice,
    /// A path that names no file.
    FileMissing,
    /// What cannot be done, whatever the data.
    Usage,
    /// Data that cannot be evaluated as it is.
    Data,
    /// A file that does not follow its format.
    Format,
    /// Ids of different types in the two tables.
    IdType,
    /// Data that takes more memory than there is.
    TooLarge,
}

/// An error and its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub class: Class,
    /// The same in words: what, where, and what to do.
    pub message: String,
}

/// The core's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of a class.
    pub fn new(class: Class, message: impl Into<String>) -> Self {
        Self { class, message: message.into() }
    }

    /// Data that cannot be evaluated as it is.
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(Class::Data, message)
    }

    /// A file that does not follow its format.
    pub fn format(message: impl Into<String>) -> Self {
        Self::new(Class::Format, message)
    }

    /// Data that takes more memory than there is.
    pub fn too_large() -> Self {
        let message = "there is not enough memory for so many rows; use engine=\"stream\", or fewer rows";
        Self::new(Class::TooLarge, message)
    }
}

/// An empty vector with room for so many values: for what grows with the rows, of which there may be too many.
///
/// # Errors
/// There is not so much memory.
pub fn room<T>(values: usize) -> Result<Vec<T>> {
    let mut empty = Vec::new();
    empty.try_reserve_exact(values).map_err(|_| Error::too_large())?;
    Ok(empty)
}
