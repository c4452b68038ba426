"""scripts/hostile: attacks on an ipnd of its own, in phases."""
