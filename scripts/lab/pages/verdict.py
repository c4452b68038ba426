"""Assertions of the checks."""


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def check_clean(browser, what):
    """No errors on the console, and no policy violations."""
    errors = browser.collect()
    check(not errors, f"{what}: {errors}")
