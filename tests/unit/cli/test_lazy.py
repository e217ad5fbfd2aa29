import subprocess
import sys

import pytest
from typer.testing import CliRunner

from halluc.__main__ import Commands, app
from halluc.cli.build_commands import BuildCommands


def test_listing_the_commands_imports_none_of_them():
    script = "import sys, halluc.__main__; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize("table", [Commands, BuildCommands])
def test_every_line_of_the_table_is_a_command(table):
    for name, command in table.lazy.items():
        assert command.load(name).name == name


def test_help_lists_them_and_an_unknown_one_is_refused():
    listed = CliRunner().invoke(app, ["--help"]).output
    assert all(name in listed for name in Commands.lazy)
    assert CliRunner().invoke(app, ["scoer"]).exit_code == 2


def test_a_subcommand_is_reached():
    shown = CliRunner().invoke(app, ["build", "tiny", "--help"])
    assert shown.exit_code == 0
    assert "qwen2_vl" in shown.output
