"""What people met with memory stores, watchers, locks and terminals of this kind; docs/cases.md lists it all."""
