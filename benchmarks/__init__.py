"""What things cost, as ratios: against library code that does the same bytes, or against ours at another size."""
