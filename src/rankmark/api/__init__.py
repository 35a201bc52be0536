"""The doors. Each reads, plans, runs an engine, and builds a result; none of them computes anything itself.

Results are made in two places: `evaluation.result_of` of lists, and `prediction_results.prediction_result`
of rows and classes.
"""
