"""The engines: ways to get from tables to judged lists."""
