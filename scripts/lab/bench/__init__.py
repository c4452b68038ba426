"""scripts/bench: ipnd beside its references."""
