"""The command line: `tellapart COMMAND`. Results go to standard output, notes and progress to standard error."""

from tellapart.cli.app import app, main

__all__ = ["app", "main"]
