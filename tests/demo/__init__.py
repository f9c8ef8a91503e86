"""The demo: a store worth looking at, and somebody who changes it."""
