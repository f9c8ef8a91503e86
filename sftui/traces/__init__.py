"""Every place where a value still stands: the store, what it retains, our own files, archives, Git. Reads only."""
