"""A user's decisions in a browser: reviews and expectations."""

import json
import urllib.request

from lab.pages import corpus
from lab.pages.browser import Browser
from lab.pages.screens import sign_in
from lab.pages.verdict import check, check_clean

WRONG_TOKENS_MAX = 10


def in_review(world, reference):
    """An order of antom that was paid with an unexpected amount."""
    world.expect("antom", reference, 12900)
    world.send("antom", "--status", "paid", "--reference", reference, "--amount", "12.90")


def order(world, reference):
    """The API's answer about an order of antom."""
    place = f"http://127.0.0.1:{world.server.admin}/orders/antom/{reference}"
    request = urllib.request.Request(place, headers={"Authorization": f"Bearer {world.token}"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def decide(browser, form, **fields):
    """Opens a form of the order's page, fills it in and submits it."""
    if not browser.all(f"#{form}[open]"):
        browser.one(f"#{form} summary").click()
    for name, text in fields.items():
        box = browser.one(f"#{form} [name={name}]")
        if box.tag_name != "select":
            box.clear()
        box.send_keys(text)
    browser.submit(f"#{form} .primary")


def resolve_and_correct(browser, world, mark):
    """A review is resolved with a reason, and an expectation corrected; the order shows both."""
    review, expected = f"REVIEW-{mark}", f"EXPECTED-{mark}"
    in_review(world, review)
    world.expect("antom", expected, 12900)
    browser.open(f"{world.address}orders/antom/{review}")
    check("Review" in browser.text("#status"), "it is not in review")
    browser.one("#resolve summary").click()
    browser.one("#resolve .primary").click()
    check(browser.one("#resolve-reason:invalid"), "no reason is asked for")
    check(order(world, review)["status"] == "review", "it is resolved without a reason")
    decide(browser, "resolve", reason=f"They paid the rest in cash, {mark}", status="Paid")
    check("is resolved" in browser.text(".note"), "it is not confirmed")
    check("Paid" in browser.text("#status"), "the status is not the resolved one")
    timeline = browser.text("#timeline")
    check(f"in cash, {mark}" in timeline, "the reason is not in the timeline")
    check("by admin" in timeline, "the timeline does not say who")
    check(not browser.all("#resolve"), "it can be resolved again")
    found = order(world, review)
    check(found["status"] == "paid" and found["resolution"]["by"] == "admin", found)
    browser.open(f"{world.address}orders/antom/{expected}")
    decide(browser, "correct", amount="99.5", reason=f"A typing mistake, {mark}")
    check("is corrected" in browser.text(".note"), "the correction is not confirmed")
    check("99.50 MYR" in browser.text("#sums"), "the expected sum is the old one")
    check(f"typing mistake, {mark}" in browser.text("#timeline"), "the correction has no reason")
    check(order(world, expected)["expected"]["amount"]["minor"] == 9950, "another sum is expected")


def deciding(world):
    """Resolving and correcting: not twice, not with invalid values, and not by a viewer."""
    with Browser() as browser:
        sign_in(browser, world)
        resolve_and_correct(browser, world, "A")
        decide(browser, "correct", amount="ninety", reason="x")
        check("not a valid MYR amount" in browser.text("main"), browser.text("main"))
        in_review(world, "REVIEW-LATE")
        browser.open(f"{world.address}orders/antom/REVIEW-LATE")
        browser.until(lambda: browser.text("#live-word") == "Live", "the stream")
        with Browser() as other:
            sign_in(other, world, "orders/antom/REVIEW-LATE")
            decide(other, "resolve", reason="The first of two")
        decide(browser, "resolve", reason="The second of two")
        check("order_changed" in browser.text("main"), "two people decide the same review")
        # The browser itself reports 400 and 409 on its console.
        errors = [text for text in browser.collect() if " 400 " not in text and "409" not in text]
        check(not errors, errors)
    in_review(world, "REVIEW-SEEN")
    with Browser() as viewer:
        sign_in(viewer, world, "orders/antom/REVIEW-SEEN", token=world.viewer_token)
        check("Review" in viewer.text("#status"), "a viewer does not see the review")
        check(not viewer.all("#resolve, #correct, main form[method=post]"), "a viewer may decide")
        status = viewer.run(
            "return fetch('REVIEW-SEEN/resolve', {method: 'POST', body: new URLSearchParams("
            "{reason: 'x', last: '2'})}).then((answer) => answer.status)"
        )
        check(status == 403, f"a viewer's decision is answered {status}")
    check(order(world, "REVIEW-SEEN")["status"] == "review", "a viewer has decided")


def deciding_without_script(world):
    """The same with script switched off."""
    with Browser(script=False) as browser:
        sign_in(browser, world)
        resolve_and_correct(browser, world, "B")


def repetitions(world):
    """The timeline counts repetitions, and is updated while it is shown."""
    message = {"id": "R1", "reference": "AGAIN-1", "transaction": "TR1", "status": "paid"}
    message |= {"amount": 500, "currency": "MYR"}
    for _ in range(3):
        world.notify(**message)
    with Browser() as browser:
        sign_in(browser, world, "orders/hmac/AGAIN-1")
        check("Received again 2 times" in browser.text("#timeline"), browser.text("#timeline"))
        world.notify(**message)
        browser.until(lambda: "again 3 times" in browser.text("#timeline"), "the third", 8)
        browser.open(f"{world.address}providers")
        check("Last notification" in browser.text("#p-hmac"), "no last notification")
        check(browser.all("#p-hmac time"), "the last notification has no time")
        check_clean(browser, "repetitions")


def any_reference(world):
    """Orders whose references look like path steps to browsers, or like folders to proxies."""
    references = ["..", ".", "a/b", "-", "?x=1#y"]
    for number, reference in enumerate(references):
        world.notify(
            id=f"Q{number}",
            reference=reference,
            transaction=f"TQ{number}",
            status="paid",
            amount=500,
            currency="MYR",
        )
    world.server.await_index()
    with Browser() as browser:
        sign_in(browser, world, "orders")
        for reference in references:
            browser.open(f"{world.address}orders")
            [link] = [one for one in browser.all("#list tbody th a") if one.text == reference]
            before = browser.one("html")
            link.click()
            browser.until(lambda before=before: browser.one("html") != before, "the order")
            check(browser.text("h1") == reference, f"{reference} leads to {browser.text('h1')}")
            browser.one("summary").click()
            check(reference in browser.text("pre"), "another order's request is shown")
        check_clean(browser, "any reference")


def hostile_decisions(world):
    """Nothing that a user types or a merchant registers becomes markup."""
    with Browser() as browser:
        sign_in(browser, world)
        for number, text in enumerate(corpus.TEXTS):
            reference = f"HOSTILE-{number}"
            status = world.expect("antom", reference, 100, metadata={text: [text]})
            check(status == 201, f"{text!r} is answered {status}")
            browser.open(f"{world.address}orders/antom/{reference}")
            decide(browser, "correct", amount="2", reason=text)
            browser.open(f"{world.address}orders/antom/{reference}")
            check(browser.run(corpus.HARM), f"{text!r} ran")
            check(browser.run(corpus.FOREIGN) == 0, f"{text!r} makes markup")
            shown = browser.run("return document.getElementById('timeline').textContent")
            check(text in shown, f"{text!r} is not shown as it is")
        check_clean(browser, "hostile decisions")


def sign_in_limit(world):
    """After too many wrong tokens the page shows the waiting time; the correct one still works."""
    with Browser() as browser:
        browser.open(f"{world.address}now")
        for _ in range(WRONG_TOKENS_MAX):
            check("Too many" not in browser.text("main"), "it waits too early")
            browser.one("#token").send_keys("wrong")
            browser.submit(".sign-in button")
        browser.one("#token").send_keys("wrong")
        browser.submit(".sign-in button")
        check("Try again in" in browser.text("#error"), "it does not say how long to wait")
        browser.one("#token").send_keys(world.token)
        browser.submit(".sign-in button")
        check(not browser.all("#token"), "the right token does not sign in")
