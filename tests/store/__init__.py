"""The files of a store: read, written, raced for and torn."""
