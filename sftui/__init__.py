"""A live window on an AI agent's memory store, and a command line beside it."""

# No import stands here: what is loaded before `sftui.__main__` cannot be interrupted quietly.
__version__ = "0.1.0"
