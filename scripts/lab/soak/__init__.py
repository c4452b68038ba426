"""scripts/soak: a world of orders on a fast clock, for an hour."""
