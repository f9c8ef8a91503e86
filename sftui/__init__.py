"""A live window on an AI agent's memory store, and a command line beside it."""

from typing import Final

__version__: Final = "0.1.0"
