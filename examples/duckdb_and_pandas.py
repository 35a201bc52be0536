"""DuckDB relations, Arrow tables and pandas frames are evaluated as they are."""

import duckdb
import pandas as pd

import rankmark as rm

connection = duckdb.connect()
connection.sql("""
    create table judgements as select * from (values ('q1', 'a', 2), ('q1', 'b', 1), ('q2', 'c', 1))
    as t (query, item, relevance)
""")
connection.sql("""
    create table results as select * from
    (values ('q1', 'b', .9), ('q1', 'a', .8), ('q2', 'x', .7), ('q2', 'c', .6)) as t (query, item, score)
""")
result = rm.evaluate(connection.table("judgements"), connection.table("results"), ["nDCG@10", "RR"])
print(result)

# Every query's values go back into SQL as a table.
values = result.per_query
print(connection.sql('select * from "values" where RR < 1'))

clicks = pd.DataFrame({"click": [1, 0, 1, 0], "p": [0.8, 0.3, 0.6, 0.7], "user": ["u", "u", "v", "v"]})
columns = {"label": "click", "score": "p", "query": "user"}
print(rm.evaluate_predictions(clicks, ["AUC", "GAUC", "LogLoss"], **columns))
