//! Numbers as text, as Python writes them: as few digits as tell a number from all others.

use std::fmt::{Display, Write};

/// Texts of numbers that are kept: measures give few different ones, or nearly as many as there are queries.
const KEPT: usize = 1 << 10;

/// Text that is written, with what numbers look like in it.
pub struct Written {
    /// All of it.
    pub text: String,
    kept: Vec<Kept>,
}

/// Where a number stands, by its bits; nowhere if the place is empty.
#[derive(Clone, Copy, Default)]
struct Kept {
    bits: u64,
    start: usize,
    end: usize,
}

impl Written {
    /// Nothing yet, with room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), kept: vec![Kept::default(); KEPT] }
    }

    /// Adds a whole number.
    pub fn integer(&mut self, value: impl Display) {
        write!(self.text, "{value}").expect("a text takes all");
    }

    /// Adds a number of floating point as JSON has it: null in the place of one that is not finite.
    pub fn json_float(&mut self, value: f64) {
        match value.is_finite() {
            true => self.float(value),
            false => self.text.push_str("null"),
        }
    }

    /// Adds a text as JSON has it: in quotes, which it escapes, as it does backslashes and control characters.
    pub fn json_text(&mut self, value: &str) {
        let escaped = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
        self.text.push('"');
        let mut rest = value;
        while let Some(at) = rest.bytes().position(escaped) {
            self.text.push_str(&rest[..at]);
            match rest.as_bytes()[at] {
                b'\n' => self.text.push_str("\\n"),
                b'\r' => self.text.push_str("\\r"),
                b'\t' => self.text.push_str("\\t"),
                b'\x08' => self.text.push_str("\\b"),
                b'\x0c' => self.text.push_str("\\f"),
                byte @ (b'"' | b'\\') => self.text.extend(['\\', byte.into()]),
                byte => write!(self.text, "\\u{byte:04x}").expect("a text takes all"),
            }
            rest = &rest[at + 1..];
        }
        self.text.push_str(rest);
        self.text.push('"');
    }

    /// Adds a finite number of floating point.
    pub fn float(&mut self, value: f64) {
        let bits = value.to_bits();
        // The highest bits of a product depend on all bits of what is multiplied.
        let place = bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - KEPT.trailing_zeros());
        let kept = &mut self.kept[place as usize];
        if kept.bits == bits && kept.start < kept.end {
            self.text.extend_from_within(kept.start..kept.end);
            return;
        }
        let start = self.text.len();
        write_float(&mut self.text, value).expect("a text takes all");
        *kept = Kept { bits, start, end: self.text.len() };
    }
}

fn write_float(text: &mut String, value: f64) -> std::fmt::Result {
    let plain = value == 0.0 || (1e-4..1e16).contains(&value.abs());
    let start = text.len();
    if plain {
        write!(text, "{value}")?
    } else {
        write!(text, "{value:e}")?
    };
    if let Some(even) = with_even_digit(&text[start..], value, plain) {
        text.truncate(start);
        text.push_str(&even);
    }
    if plain {
        return text.write_str(if value.trunc() == value { ".0" } else { "" });
    }
    // The exponent has a sign and at least two digits in Python.
    if let Some(at) = text[start..].find('e').map(|at| start + at + 1)
        && let Ok(exponent) = text[at..].parse::<i32>()
    {
        text.truncate(at);
        write!(text, "{exponent:+03}")?;
    }
    Ok(())
}

/// A number halfway between two texts with as many digits is the one with the even digit in Python, if that is read as
/// this number; Rust takes the higher one.
fn with_even_digit(text: &str, value: f64, plain: bool) -> Option<String> {
    // Its digits are those of a whole number times 5 to the power of its binary places: of more than 25 they are more
    // than 18, and a number between two texts has one digit more than the 17 that tell any number.
    let whole = value * f64::from(1 << 25);
    if whole.trunc() != whole {
        return None;
    }
    let (_, places) = text.split('e').next()?.split_once('.')?;
    let places = places.len();
    let even = if plain { format!("{value:.places$}") } else { format!("{value:.places$e}") };
    (even.parse() == Ok(value)).then_some(even)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        let mut written = Written::with_capacity(0);
        written.json_text("a\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}é\u{2028}");
        assert_eq!(written.text, "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}é\u{2028}\"");
    }

    #[test]
    fn numbers_are_written_as_python_writes_them() {
        let known = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1.0 / 3.0, "0.3333333333333333"),
            (0.0001, "0.0001"),
            (0.000_099_999_999_999_999_99, "9.999999999999999e-05"),
            (1e-5, "1e-05"),
            (-1.5e-7, "-1.5e-07"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (1.234_567_890_123_456_7e19, "1.2345678901234567e+19"),
            (1e100, "1e+100"),
            (5e-324, "5e-324"),
            (2f64.powi(-25), "2.9802322387695312e-08"),
            (2f64.powi(-24), "5.960464477539063e-08"),
            (f64::MAX, "1.7976931348623157e+308"),
        ];
        let mut written = Written::with_capacity(0);
        for (value, text) in known.iter().chain(&known) {
            written.text.push(' ');
            let start = written.text.len();
            written.float(*value);
            assert_eq!(&written.text[start..], *text);
        }
    }
}
