"""What a check demands."""


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def check_clean(browser, what):
    """No error on the console, and nothing that a policy refused."""
    errors = browser.collect()
    check(not errors, f"{what}: {errors}")
