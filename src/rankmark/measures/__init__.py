"""The measures, a page each: every module here is one definition, and the folder is the registry.

A page is a function of `lists` (`rankmark.kinds.lists.JudgedLists`, the judged items of every list in rank
order) that returns one float64 value a query. `cutoff` is the k after the ``@``: only the first k items
count; None counts the whole list. All other keyword arguments are the measure's parameters.
The sources that a page names, ``[jarvelin2002]``, stand in `rankmark.language.bibliography`.
"""
