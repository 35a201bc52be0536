//! What goes wrong in the core, as exceptions of Python.

use std::any::Any;

use arrow_schema::ArrowError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::core::error::{Class, Error};

/// What `rankmark.errors` calls a class.
fn name(class: Class) -> &'static str {
    match class {
        Class::Choice => "ChoiceError",
        Class::FileMissing => "FileMissingError",
        Class::Usage => "UsageError",
        Class::Data => "DataError",
        Class::Format => "FormatError",
        Class::IdType => "IdTypeError",
        Class::TooLarge => "TooLargeError",
    }
}

/// An error of the core as its class in `rankmark.errors`.
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let class = py.import("rankmark.errors").and_then(|errors| errors.getattr(name(error.class)));
    match class.and_then(|class| class.call1((&error.message,))) {
        Ok(raised) => PyErr::from_value(raised),
        Err(missing) => missing,
    }
}

/// A table that Arrow cannot read.
pub fn arrow_error(py: Python<'_>, error: &ArrowError) -> PyErr {
    let class = if matches!(error, ArrowError::SchemaError(_)) { Class::Usage } else { Class::Data };
    raise(py, &Error::new(class, format!("the table cannot be read: {error}")))
}

/// A fault of the core itself.
pub fn fault(panic: Box<dyn Any + Send>) -> PyErr {
    let message = panic_message(panic.as_ref());
    PyRuntimeError::new_err(format!("a fault in rankmark itself, please report it: {message}"))
}

/// The words of a panic.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let message = panic.downcast_ref::<&str>().copied();
    message.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
