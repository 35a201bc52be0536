"""`rankmark completion`."""

from __future__ import annotations

from typing import Literal

import click

__all__ = ["completion"]

Shell = Literal["bash", "zsh", "fish"]


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: Shell) -> None:
    """Print what lets a shell complete commands and options.

    For bash, put eval "$(rankmark completion bash)" into ~/.bashrc, for zsh with
    zsh in the place of bash into ~/.zshrc; for fish, write it to
    ~/.config/fish/completions/rankmark.fish.
    """
    from click.shell_completion import BashComplete, FishComplete, ZshComplete

    classes = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
    script = classes[shell](context.find_root().command, {}, "rankmark", "_RANKMARK_COMPLETE")
    click.echo(script.source_template % script.source_vars())
