"""Commands that are imported when they are called: scoring a file must not wait for torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, cast

import typer
from typer.core import TyperCommand, TyperGroup


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """Say where a command is, and what it does in one line.

    Attributes:
        place: ``module:name`` of a function, or of a ``typer.Typer`` with subcommands.
        help: Its line in the list of commands.
    """

    place: str
    help: str

    def load(self, name: str) -> TyperCommand | TyperGroup:
        """Import the command."""
        module, attribute = self.place.split(":")
        found = getattr(import_module(module), attribute)
        if isinstance(found, typer.Typer):
            command = typer.main.get_command(found)
        else:
            app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            app.command(name)(found)
            command = typer.main.get_command(app)
        command.name = name
        return cast("TyperCommand | TyperGroup", command)


class LazyGroup(TyperGroup):
    """List commands without importing them; subclasses fill ``lazy``."""

    lazy: ClassVar[Mapping[str, LazyCommand]] = {}

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # typer vendors click
        """Name the commands in the order of the table."""
        return list(self.lazy)

    def get_command(  # type: ignore[override]  # typer vendors click
        self, ctx: typer.Context, cmd_name: str
    ) -> TyperCommand | None:
        """Return a stand-in that knows no more than its line in the list."""
        found = self.lazy.get(cmd_name)
        return None if found is None else TyperCommand(cmd_name, help=found.help)

    def resolve_command(  # type: ignore[override]  # typer vendors click
        self, ctx: typer.Context, args: list[str]
    ) -> tuple[str | None, Any, list[str]]:
        """Import the command that is called."""
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and name in self.lazy:
            command = self.lazy[name].load(name)
        return name, command, rest
