"""`rankmark completion`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import click

from rankmark.commands.names import COMPLETING

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem, ShellComplete

__all__ = ["complete_files", "completion"]

Shell = Literal["bash", "zsh", "fish"]


def complete_files() -> None:
    """Lets shells complete the names of files, too, where nothing else is known: most arguments are files."""
    from click.shell_completion import CompletionItem, add_completion_class

    def with_files(shell: type[ShellComplete]) -> type[ShellComplete]:
        class WithFiles(shell):  # type: ignore[misc, valid-type]
            def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
                known: list[CompletionItem] = super().get_completions(args, incomplete)
                return known or [CompletionItem(incomplete, type="file")]

        return WithFiles

    for name, shell in _shells().items():
        add_completion_class(with_files(shell), name)


def _shells() -> Mapping[Shell, type[ShellComplete]]:
    from click.shell_completion import BashComplete, FishComplete, ZshComplete

    return {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: Shell) -> None:
    """Print what lets a shell complete what is typed.

    For bash, put eval "$(rankmark completion bash)" into ~/.bashrc, for zsh with
    zsh in the place of bash into ~/.zshrc; for fish, write it to
    ~/.config/fish/completions/rankmark.fish.
    """
    script = _shells()[shell](context.find_root().command, {}, "rankmark", COMPLETING)
    click.echo(script.source_template % script.source_vars())
