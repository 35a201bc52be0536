"""Fuzzing: whatever is given, rankmark answers, or says in its own words what is wrong.

`targets` are functions of bytes, for what is Python; `fuzz_targets` are programs, for what is Rust.
``python -m fuzz`` runs all of them.
"""
