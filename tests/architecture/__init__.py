"""The laws of the house, held by reading the source and by running it."""
