//! The order of equal scores: all that any list, of a table or of dense scores, asks of it.

use std::cmp::Ordering;

use crate::core::choices::Choice;

/// The order of equal scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// Greater item id first: trec_eval's rule.
    ItemDescending,
    /// Smaller item id first.
    ItemAscending,
    /// In the order of the rows.
    Input,
    /// Higher grade first.
    Best,
    /// Lower grade first.
    Worst,
    /// The mean over all orders: any of them will do, and the ranks that tied items share are told.
    Expected,
    /// By a hash of seed, query and item.
    Random,
}

impl Choice for Ties {
    const NAME: &'static str = "ties";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("item-desc", Self::ItemDescending),
        ("item-asc", Self::ItemAscending),
        ("input", Self::Input),
        ("best", Self::Best),
        ("worst", Self::Worst),
        ("expected", Self::Expected),
        ("random", Self::Random),
    ];
}

/// What an order looks at besides the ids of items and the order of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// The grades of the items.
    Grades,
    /// Numbers drawn for the items.
    Lots,
}

/// Two items of a list with equal scores, by each thing that an order may look at.
pub trait Tied {
    /// The greater id first.
    fn by_item(&self) -> Ordering;
    /// The earlier row first.
    fn by_row(&self) -> Ordering;
    /// The better grade first.
    fn by_grade(&self) -> Ordering;
    /// The smaller number first, of those drawn for them.
    fn by_lot(&self) -> Ordering;
}

impl Ties {
    /// Which of two items with equal scores comes first.
    pub fn order(self, pair: &impl Tied) -> Ordering {
        match self {
            Self::ItemDescending | Self::Expected => pair.by_item(),
            Self::ItemAscending => pair.by_item().reverse(),
            Self::Input => pair.by_row(),
            Self::Best => pair.by_grade().then_with(|| pair.by_item()),
            Self::Worst => pair.by_grade().reverse().then_with(|| pair.by_item()),
            Self::Random => pair.by_lot().then_with(|| pair.by_item()),
        }
    }

    /// What it looks at.
    pub fn needs(self) -> Needs {
        match self {
            Self::ItemDescending | Self::ItemAscending | Self::Input | Self::Expected => Needs::Nothing,
            Self::Best | Self::Worst => Needs::Grades,
            Self::Random => Needs::Lots,
        }
    }

    /// Whether the ranks that tied items share are wanted.
    pub fn shares_ranks(self) -> bool {
        self == Self::Expected
    }
}

/// The grade of an item, as an order of ties sees it.
#[derive(Debug, Clone, Copy)]
pub struct Grade {
    relevance: f64,
    judged: bool,
}

impl Grade {
    /// That of an item that is not judged.
    pub const UNJUDGED: Self = Self { relevance: 0.0, judged: false };

    /// That of a judged item.
    pub fn of(relevance: f64) -> Self {
        Self { relevance, judged: true }
    }

    /// Higher grades first; of an item judged 0 and one not judged, the judged one.
    pub fn better(a: Self, b: Self) -> Ordering {
        b.relevance.total_cmp(&a.relevance).then(b.judged.cmp(&a.judged))
    }
}
