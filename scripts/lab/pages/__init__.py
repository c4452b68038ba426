"""The pages of the admin listener, seen by a real browser."""
