"""An agent of another make: a second implementation of the store, to run beside ours. Nothing here uses the engine."""
