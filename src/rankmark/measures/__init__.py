"""The measures, a page each: every module here is one definition, and the folders are the registry.

Those in `lists` are of judged lists, in `items` of what lists recommend, in `rows` of labelled scores. A page
is a function of what its kind sees (`JudgedLists`, `RecommendedLists`, `Rows` of `rankmark.kinds`). `cutoff`
is the k after the ``@``: only the first k items count; None counts the whole list. All other keyword
arguments are the measure's parameters. The sources that a page names, ``[jarvelin2002]``, stand in
`rankmark.language.bibliography`.
"""
