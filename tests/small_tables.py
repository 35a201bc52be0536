"""Small tables of judgements and results, to be written in every form."""

import polars as pl

from rankmark.inputs import Input

QRELS = {
    "query": ["q1", "q1", "a rather long query"],
    "item": ["d1", "a rather long item", "007"],
    "relevance": [2.0, 0.0, -0.5],
}
RUN = {
    "query": ["q1", "q1", "q1", "q2"],
    "item": ["d1", "007", "a rather long item", "d1"],
    "score": [2.5, 1e30, 1.0, -1e-3],
}

FILES = {
    "items.csv": "query,preferred,other\nq1,a,b\nq1,b,c\nq2,c,a\n",
    "nuggets.csv": "run,query,nugget,importance,assignment\na,q1,n,vital,support\nb,q1,n,vital,support\n",
    "qrels.txt": "q1 0 a 2\nq1 0 b 1\nq2 0 c 1\nq3 0 d 0\n",
    "a.run": "q1 Q0 a 1 3.0 a\nq1 Q0 b 2 2.0 a\nq2 Q0 x 1 1.0 a\nq2 Q0 c 2 0.5 a\nq3 Q0 d 1 1.0 a\n",
    "b.run": "q1 Q0 b 1 3.0 b\nq2 Q0 c 1 1.0 b\n",
    "halves.csv": "query,half\nq1,early\nq2,early\nq3,late\n",
    "broken.run": "q1 Q0 a 1 three a\n",
    "p.csv": "label,score,other,user,country\n1,.9,.4,u,de\n0,.8,.5,u,de\n1,.7,.6,v,fr\n0,.1,.7,v,fr\n",
    "log.csv": "item,click,propensity,new\na,1,.5,.9\nb,0,.25,.1\na,0,.5,.9\nc,1,.25,.0\n",
    "pets.csv": "label,guess\ncat,cat\ndog,cat\n",
}
"""What commands read, and cannot read."""


def rows(table: Input) -> list[tuple]:
    names = [
        table.query,
        table.item,
        *([table.value] if table.value else []),
        *([table.rank] if table.rank else []),
    ]
    return pl.DataFrame(table.table).select(names).rows()


def as_tuples(columns: dict) -> list[tuple]:
    return list(zip(*columns.values(), strict=True))


def as_dicts(columns: dict) -> dict:
    nested: dict = {}
    for query, item, value in as_tuples(columns):
        nested.setdefault(query, {})[item] = value
    return nested
