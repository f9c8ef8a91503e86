"""What could be cleaned, rule by rule."""
