"""Pools of what systems returned: what is to be judged, and what judging no more does to numbers."""
