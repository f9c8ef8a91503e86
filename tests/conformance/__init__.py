"""The recorded vectors of the state-flow dialect, and what runs them.

An adapter takes one case and a dialect and gives back a list of differences, empty when all is as recorded. A module
of this package offers adapters as `ADAPTERS: Mapping[str, Adapter]`, by file name; the runner finds them there.
"""
