"""The screens, by name and path."""

SCREENS = {
    "now": "now",
    "orders": "orders",
    "order": "orders/antom/SHOP-10420",
    "review": "orders/antom/SHOP-10416",
    "events": "events?id=2",
    "rejections": "rejections",
    "destinations": "destinations?state=dead",
    "providers": "providers",
    "journal": "journal",
    "audit": "audit",
}


def sign_in(browser, world, place="now", token=None):
    browser.open(f"{world.address}{place}")
    browser.one("#token").send_keys(token or world.token)
    browser.submit(".sign-in button")


def explained(browser, world):
    """The path of an explanation."""
    browser.open(f"{world.address}rejections")
    return browser.all("#list td a")[-1].get_attribute("href").removeprefix(world.address)
