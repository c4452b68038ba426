"""scripts/soak: many orders on an accelerated clock, for an hour."""
