"""What has a report: a page that people read."""

from __future__ import annotations

from typing import cast

from rankmark.calling import clear_methods

__all__ = ["Reported"]


@clear_methods
class Reported:
    """What a report can be of: results of systems, and comparisons of them."""

    __slots__ = ()

    def to_html_report(self, *, title: str = "") -> str:
        """A page that says in sentences, tables and pictures what was found; `rankmark.report` has more.

        It is one file that needs no network, is read without JavaScript, too, and with it lets queries be
        sorted and filtered. The lists themselves are in no result, so that they are not in it.

        Args:
            title: of the page; by itself the names of the systems.

        Raises:
            ToolMissingError: Jinja2, which renders it, is not installed.

        """
        from rankmark.reports.report import Subject, report_of

        return report_of(cast("Subject", self), title=title).html
