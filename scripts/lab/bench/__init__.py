"""scripts/bench: ipnd and its references."""
