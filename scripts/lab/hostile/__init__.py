"""scripts/hostile: attacks on its own ipnd, in phases."""
