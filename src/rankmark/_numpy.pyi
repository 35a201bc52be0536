from numpy import *  # noqa: F403 - it has all that NumPy has
