"""The commands, a module each: what they take, and which public function they call."""
