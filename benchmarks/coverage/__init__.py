"""How often intervals hold the truth, and tests find what is not there, in populations that are known.

A module a subject: `tables` of it takes how many repetitions each share is of, and gives `shares.Table`s.
"""
