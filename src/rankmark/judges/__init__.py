"""Labels of a judge, such as a language model, beside those of people: what systems are worth by both."""
