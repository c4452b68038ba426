"""A user's views and actions, checked in a real browser."""

import importlib.util
import os
import time
import urllib.parse

from lab.pages import corpus
from lab.pages.browser import Browser
from lab.pages.decisions import (
    any_reference,
    deciding,
    deciding_without_script,
    hostile_decisions,
    repetitions,
    sign_in_limit,
)
from lab.pages.front import Front
from lab.pages.screens import SCREENS, explained, sign_in
from lab.pages.verdict import check, check_clean

WIDTHS = (360, 768, 1440, 1920)
WEIGHT_BYTES_MAX = 60_000
PAINT_MILLISECONDS_MAX = 300
LIVE_SECONDS_MAX = 1
# Reference that most searches look for.
SEARCHES = {
    "search for a part": "orders?text=NOTHING-HAS-THIS-NAME",
    "endpoint": "orders?endpoint=opp",
    "status": "orders?status=failed",
    "flag": "orders?flag=conflict",
    "day": "orders?from=2001-01-01&to=2001-01-02",
    "all filters": "orders?text=X&status=paid&endpoint=antom&from=2001-01-01",
}


def axe_source():
    folder = os.path.dirname(importlib.util.find_spec("axe_core_python").origin)
    with open(os.environ.get("IPND_AXE", f"{folder}/axe.min.js")) as file:
        return file.read()


def check_accessibility(browser, name, source):
    """No finding of axe-core is serious or critical."""
    browser.run(source)
    found = browser.driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run(document, {resultTypes: ['violations']})"
        ".then(done, (error) => done({error: `${error}`}))"
    )
    check("violations" in found, found.get("error"))
    serious = [
        f"{finding['id']}: {finding['nodes'][0]['html'][:160]}"
        for finding in found["violations"]
        if finding["impact"] in ("serious", "critical")
    ]
    check(not serious, f"{name}: {serious}")


def signing_in(world):
    """A wrong token is reported; the correct one leads to the requested page; signing out works."""
    with Browser() as browser:
        sign_in(browser, world, "orders?status=paid", token="wrong")
        check("Wrong token" in browser.text("#error"), "a wrong token is not reported")
        # The browser itself reports the 403 on its console.
        errors = [error for error in browser.collect() if "403" not in error]
        check(not errors, errors)
        browser.errors.clear()
        browser.one("#token").send_keys(world.token)
        browser.submit(".sign-in button")
        check(browser.driver.current_url.endswith("orders?status=paid"), "it leads elsewhere")
        check(browser.run("return document.cookie") == "", "the script sees the session")
        browser.submit(".account form button")
        check(browser.all("#token"), "signing out leads not to the form")
        browser.open(f"{world.address}now")
        check(browser.all("#token"), "a session lives on after signing out")
        check_clean(browser, "signing in")


def repainted(browser):
    browser.driver.refresh()
    return browser.paint()


def screens(world):
    """Each screen, at every width, light and dark, without errors, and accessible."""
    source = axe_source()
    with Browser() as browser:
        browser.open(f"{world.address}now")
        check_accessibility(browser, "sign-in", source)
        sign_in(browser, world)
        more = {"explained": explained(browser, world), "preview": "destinations?preview=1"}
        for name, path in {**SCREENS, **more}.items():
            for width in WIDTHS:
                browser.look(width)
                browser.open(f"{world.address}{path}")
                check(not browser.overflows(), f"{name} is wider than {width} pixels")
            for dark in (False, True):
                browser.look(1440, dark=dark)
                check_accessibility(browser, f"{name}, {'dark' if dark else 'light'}", source)
            times = browser.all("time[title$=UTC]")
            # The machine's own zone may be UTC, so the form shows that the script wrote it.
            told = not times or times[0].text != times[0].get_attribute("title")
            check(told, f"{name}: times are not local")
            check_clean(browser, name)


def paint(world):
    """The time to the first content of each screen, and of searches and filters with few
    results."""
    figures, late = [], []
    with Browser() as browser:
        sign_in(browser, world)
        for name, path in {**SCREENS, **SEARCHES}.items():
            browser.open(f"{world.address}{path}")
            # The best of several, because the machine does other work.
            milliseconds = min(repainted(browser) for _ in range(5))
            figures.append(f"{name} {milliseconds:.0f}")
            if milliseconds > PAINT_MILLISECONDS_MAX:
                late.append(name)
        check_clean(browser, "paint")
    told = f"first paint in ms, {world.history} orders before: " + ", ".join(figures)
    is_late = late and world.is_timed
    check(not is_late, f"{', '.join(late)} after {PAINT_MILLISECONDS_MAX} ms; {told}")
    return told


def weight(world):
    """The size of a page without its data."""
    with Browser() as browser:
        sign_in(browser, world, "orders?text=NOTHING-HAS-THIS-NAME")
        browser.command("Network.clearBrowserCache")
        browser.driver.refresh()
        total = browser.run(
            "return performance.getEntries().filter((entry) => 'encodedBodySize' in entry)"
            ".reduce((sum, entry) => sum + entry.encodedBodySize, 0)"
        )
        check(10_000 < total <= WEIGHT_BYTES_MAX, f"a page weighs {total} bytes")
    return f"{total} bytes"


def live(world):
    """A notification and a chargeback appear on the page without a click."""
    with Browser() as browser:
        sign_in(browser, world, "orders")
        browser.until(lambda: browser.text("#live-word") == "Live", "the stream")
        world.notify(
            id="L1",
            reference="LIVE-1",
            transaction="TL1",
            status="paid",
            amount=500,
            currency="MYR",
        )
        seconds = browser.until(
            lambda: "LIVE-1" in browser.text("#list tbody tr:first-child"), "LIVE-1 in the list"
        )
        is_late = seconds > LIVE_SECONDS_MAX and world.is_timed
        check(not is_late, f"the list was {seconds:.2f} s late")
        check(browser.all("tr.fresh"), "a new row is not marked")
        world.send("antom", "--reference", "LIVE-2", "--transaction", "TX-LIVE-2")
        world.server.await_index()
        browser.open(f"{world.address}orders/antom/LIVE-2")
        browser.until(lambda: browser.text("#live-word") == "Live", "the stream")
        browser.one("summary").click()
        check("Paid" in browser.text("#status"), "LIVE-2 is not paid")
        world.send(
            "antom",
            "--status",
            "charged_back",
            "--reference",
            "LIVE-2",
            "--transaction",
            "TX-LIVE-2",
        )
        late = browser.until(lambda: "Charged back" in browser.text("#status"), "the chargeback")
        is_late = late > LIVE_SECONDS_MAX and world.is_timed
        check(not is_late, f"the chargeback was {late:.2f} s late")
        check(browser.all("details[open]"), "what was open is closed")
        browser.until(
            lambda: (
                "Charged back"
                in browser.run("return document.getElementById('announce').textContent")
            ),
            "an announcement",
        )
        check_clean(browser, "live")
    return f"list {seconds:.2f} s, chargeback {late:.2f} s"


def searching(world):
    """The list follows the search field, and its address can be shared."""
    with Browser() as browser:
        sign_in(browser, world, "orders")
        browser.one("#text").send_keys("SHOP-10420")
        browser.until(lambda: len(browser.all("#list tbody tr")) == 1, "one order")
        check("text=SHOP-10420" in browser.driver.current_url, "the search is not in the address")
        check("Charged back" in browser.text("#list"), "another order is found")
        check(browser.run("return document.activeElement.id") == "text", "the focus is lost")
        browser.open(f"{world.address}orders")
        first = browser.text("#list tbody tr:first-child th")
        browser.submit("a[rel=next]")
        check(browser.text("#list tbody tr:first-child th") != first, "the next page is the same")
        check_clean(browser, "searching")


def acting(world):
    """Pause and resume; a retry announces its effect; the journal is verified."""
    with Browser() as browser:
        sign_in(browser, world, "destinations")
        browser.until(lambda: browser.all("#list tbody tr"), "something that is not delivered")
        browser.submit("form[action$='warehouse/pause'] button")
        check("Paused" in browser.text("#twarehouse"), "the destination is not paused")
        browser.submit("form[action$='warehouse/resume'] button")
        check("Delivering" in browser.text("#twarehouse"), "the destination is not resumed")
        world.open_shop()
        browser.open(f"{world.address}destinations?destination=shop&state=dead")
        dead = len(browser.all("#list tbody tr"))
        check(dead > 0, "there are no dead letters")
        browser.submit("button[name=preview]")
        check(f"Retry {dead} deliver" in browser.text("#preview"), browser.text("#preview"))
        browser.submit("#preview .primary")
        check("being retried" in browser.text(".note"), "a retry is not confirmed")
        browser.until(lambda: "Everything is delivered" in browser.text("#list"), "delivery", 20)
        browser.open(f"{world.address}journal")
        browser.submit("main .primary")
        browser.until(lambda: "Intact" in browser.text("#verify"), "a verdict", 120)
        check_clean(browser, "acting")


def viewing(world):
    """A viewer can see pages, but neither requests nor buttons, and cannot act."""
    with Browser() as browser:
        sign_in(browser, world, "orders/antom/SHOP-10420", token=world.viewer_token)
        check("Charged back" in browser.text("#status"), "a viewer does not see the order")
        check(not browser.all("details"), "a viewer sees requests")
        for path in ("destinations", "journal", "orders/antom/SHOP-10420"):
            browser.open(f"{world.address}{path}")
            check(not browser.all("main form[method=post]"), f"{path} offers a viewer to act")
        check_clean(browser, "viewing")
        status = browser.run(
            "return fetch('../../journal/verify', {method: 'POST'}).then((answer) => answer.status)"
        )
        check(status == 403, f"a viewer's act is answered {status}")


def without_script(world):
    """Every page, signing in, searching and an action, with script switched off."""
    with Browser(script=False) as browser:
        sign_in(browser, world, "orders")
        browser.one("#text").send_keys("SHOP-10414")
        browser.submit(".filters .primary")
        check(len(browser.all("#list tbody tr")) == 1, "the search finds something else")
        browser.submit("#list tbody th a")
        check("Refunded" in browser.text("#status"), "the order is not shown")
        check("UTC" in browser.text("time"), "a time has no zone")
        browser.one("summary").click()
        check("paymentId" in browser.text("pre") or "{" in browser.text("pre"), "no request")
        for name, path in SCREENS.items():
            browser.open(f"{world.address}{path}")
            check(browser.all("h1"), f"{name} is empty")
        browser.open(f"{world.address}rejections")
        browser.submit("#list td a")
        check(browser.all(".explained"), "a rejection is not explained")
        browser.open(f"{world.address}destinations")
        browser.submit("form[action$='warehouse/pause'] button")
        browser.submit("form[action$='warehouse/resume'] button")
        browser.submit(".account form button")


def hostile_texts(world):
    """Nothing that a provider or payer sends becomes markup."""
    for message in corpus.messages():
        text = message["status"] if message["status"] != "paid" else message["id"]
        header = text.encode("utf-8", "replace").decode("latin-1").replace("\n", " ")
        status = world.notify(headers=[f"X-Note: {header}"], **message)
        check(status == 200, f"{message['id']!r} is answered {status}")
        refused = world.notify("opp", headers=[f"X-Note: {header}"], **message)
        check(refused >= 400, "an unsigned request is taken")
    world.server.await_index()
    pages = 0
    with Browser() as browser:
        sign_in(browser, world, "orders")
        addresses = [link.get_attribute("href") for link in browser.all("#list tbody th a")]
        paths = [address.removeprefix(world.address) for address in addresses]
        check(len(paths) >= len(corpus.TEXTS), "orders are missing")
        for path in [*SCREENS.values(), *paths[: len(corpus.TEXTS)], explained(browser, world)]:
            browser.open(f"{world.address}{path}")
            for summary in browser.all("summary"):
                browser.run("arguments[0].parentElement.open = true", summary)
            check(browser.run(corpus.HARM), f"{path} ran something")
            check(browser.run(corpus.FOREIGN) == 0, f"{path} has markup that is not ours")
            pages += 1
        for text in corpus.TEXTS:
            browser.open(f"{world.address}orders?text={urllib.parse.quote(text)}")
            check(browser.run(corpus.FOREIGN) == 0, f"a search for {text!r} makes markup")
            check(browser.one("#text").get_attribute("value") == text, f"{text!r} has changed")
        check_clean(browser, "hostile texts")
    return f"{len(corpus.TEXTS)} texts on {pages} pages"


def behind_a_proxy(world):
    """Everything works below a path of nginx, including live updates."""
    with Front(world, "/tools/ipnd/") as front, Browser() as browser:
        browser.open(front.address)
        check(browser.driver.current_url.startswith(f"{front.address}ui/"), "it leads elsewhere")
        browser.one("#token").send_keys(world.token)
        browser.submit(".sign-in button")
        for name, path in SCREENS.items():
            browser.open(f"{front.address}ui/{path}")
            check(browser.all("h1"), f"{name} is empty")
            for link in browser.all("a[href], form[action]"):
                place = link.get_attribute("href") or link.get_attribute("action")
                check(place.startswith(front.address), f"{name} leads to {place}")
        browser.open(f"{front.address}ui/orders")
        browser.until(lambda: browser.text("#live-word") == "Live", "the stream")
        world.notify(
            id="P1",
            reference="PROXY-1",
            transaction="TP1",
            status="paid",
            amount=500,
            currency="MYR",
        )
        browser.until(lambda: "PROXY-1" in browser.text("#list"), "PROXY-1 in the list", 3)
        browser.submit(".account form button")
        check_clean(browser, "behind a proxy")


def by_keyboard(world):
    """The first Tab skips the menu; every control is reachable and shows its focus."""
    from selenium.webdriver.common.keys import Keys

    with Browser() as browser:
        sign_in(browser, world, "orders")
        browser.open(f"{world.address}orders")
        browser.one("body").send_keys(Keys.TAB)
        check(
            browser.run("return document.activeElement.className") == "skip",
            "the first Tab does not offer to skip the menu",
        )
        reached = set()
        for _ in range(40):
            browser.driver.switch_to.active_element.send_keys(Keys.TAB)
            reached.add(
                browser.run("const e = document.activeElement; return e.id || e.textContent.trim()")
            )
            hidden = browser.run(
                "const e = document.activeElement; return e !== document.body "
                "&& getComputedStyle(e).outlineStyle === 'none' ? e.outerHTML : null"
            )
            check(hidden is None, f"no focus is shown at {hidden}")
        wanted = {"Now", "Journal", "Sign out", "Overdue", "text", "status", "Search"}
        check(wanted <= reached, f"not reached: {wanted - reached}")


ALL = (
    signing_in,
    screens,
    paint,
    weight,
    live,
    searching,
    viewing,
    without_script,
    acting,
    by_keyboard,
    behind_a_proxy,
    deciding,
    deciding_without_script,
    repetitions,
    any_reference,
    hostile_texts,
    hostile_decisions,
    # Run last: too many attempts lock a client out for a minute.
    sign_in_limit,
)


def run(world, names):
    """Runs all checks, or the named ones; returns the number of failures."""
    unknown = set(names) - {each.__name__ for each in ALL}
    if unknown:
        raise SystemExit(f"check-pages: no such check: {', '.join(sorted(unknown))}")
    failed = 0
    for each in ALL:
        if names and each.__name__ not in names:
            continue
        start = time.monotonic()
        name = each.__name__.replace("_", " ")
        try:
            note = each(world)
            print(f"ok      {name} ({time.monotonic() - start:.0f} s) {note or ''}", flush=True)
        except Exception as error:
            failed += 1
            print(f"FAILED  {name}: {error}", flush=True)
    return failed
