"""Checks of the admin listener's pages in a real browser."""
