//! The choices that come as words: what each word means, and that no other is understood.
//!
//! The order of ties has a file of its own, [`crate::core::ties`], with all that follows from it.

use crate::core::error::{Class, Error, Result};

/// A choice that comes as a word.
pub trait Choice: Copy + 'static {
    /// What Python calls it.
    const NAME: &'static str;
    /// All its words, as in `rankmark.language.choices`, and what they mean.
    const WORDS: &'static [(&'static str, Self)];

    /// What a word means.
    ///
    /// # Errors
    /// A word that is none of this choice.
    fn parse(word: &str) -> Result<Self> {
        let known = Self::WORDS.iter().find(|&&(known, _)| known == word);
        known.map(|&(_, meant)| meant).ok_or_else(|| {
            let words: Vec<&str> = Self::WORDS.iter().map(|&(known, _)| known).collect();
            let (name, words) = (Self::NAME, words.join(", "));
            Error::new(Class::Choice, format!("{name}='{word}' is not one of {words}"))
        })
    }
}

/// What becomes of an item that stands twice in a list, or is judged twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    /// Refused.
    Error,
    /// The first row counts.
    First,
    /// The highest score or grade counts.
    Best,
}

impl Choice for Duplicates {
    const NAME: &'static str = "duplicates";
    const WORDS: &'static [(&'static str, Self)] =
        &[("error", Self::Error), ("first", Self::First), ("best", Self::Best)];
}

/// What becomes of unjudged items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unjudged {
    /// They stay in the lists, without a grade.
    Keep,
    /// They are taken out of the lists.
    Ignore,
}

impl Choice for Unjudged {
    const NAME: &'static str = "unjudged";
    const WORDS: &'static [(&'static str, Self)] =
        // Which grade stands for none, where they stay, is not asked here.
        &[("nonrelevant", Self::Keep), ("ignore", Self::Ignore), ("relevant", Self::Keep)];
}

/// What becomes of results for queries without judgements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnjudgedQueries {
    /// They are left out, and counted.
    Skip,
    /// Refused.
    Error,
}

impl Choice for UnjudgedQueries {
    const NAME: &'static str = "unjudged_queries";
    const WORDS: &'static [(&'static str, Self)] = &[("skip", Self::Skip), ("error", Self::Error)];
}

/// The precision in which scores are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scores {
    /// 64 bits.
    Float64,
    /// 32 bits.
    Float32,
}

impl Choice for Scores {
    const NAME: &'static str = "scores";
    const WORDS: &'static [(&'static str, Self)] = &[("float64", Self::Float64), ("float32", Self::Float32)];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::files::trec_reader::Side;
    use crate::core::ties::Ties;

    fn check<C: Choice + PartialEq + std::fmt::Debug>() {
        for (at, &(word, meant)) in C::WORDS.iter().enumerate() {
            assert_eq!(C::parse(word), Ok(meant));
            assert!(C::WORDS[..at].iter().all(|&(other, one)| (other, one) != (word, meant)));
        }
        for word in ["", "nonsense", &C::WORDS[0].0.to_uppercase()] {
            let error = C::parse(word).unwrap_err();
            assert_eq!(error.class, Class::Choice);
            assert!(error.message.starts_with(&format!("{}='{word}' is not one of ", C::NAME)));
            assert!(C::WORDS.iter().all(|(known, _)| error.message.contains(known)));
        }
    }

    #[test]
    fn each_word_is_understood_and_no_other() {
        check::<Ties>();
        check::<Duplicates>();
        check::<Unjudged>();
        check::<UnjudgedQueries>();
        check::<Scores>();
        check::<Side>();
    }
}
