"""A live window on an AI agent's memory store, and a command line beside it."""
