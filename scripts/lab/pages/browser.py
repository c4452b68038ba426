"""Chromium, driven by Selenium."""

import base64
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

# Records violations of a page's content security policy, from its first byte.
WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.effectiveDirective} ${event.blockedURI}`));
"""
PAINT = """
return performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null
"""


class Browser:
    """One window. `script` is whether pages may run scripts."""

    def __init__(self, script=True):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        # Root has no sandbox in containers; the pages are our own.
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-proxy-server"):
            options.add_argument(argument)
        options.add_argument("--disable-dev-shm-usage")
        options.add_argument("--hide-scrollbars")
        options.add_argument("--lang=en-GB")
        if not script:
            options.add_experimental_option(
                "prefs", {"profile.managed_default_content_settings.javascript": 2}
            )
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options, Service("/usr/bin/chromedriver"))
        self.driver.set_page_load_timeout(60)
        if script:
            self.command("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.errors = []
        self.look(1440)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def look(self, width, height=900, dark=False):
        """Sets the screen width and the light or dark scheme."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = "dark" if dark else "light"
        self.command(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def open(self, address):
        self.collect()
        self.driver.get(address)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector="body"):
        return self.one(selector).text

    def until(self, condition, what, seconds=60):
        """Waits until `condition` finds something; returns the time taken. The limit is only a
        guard."""
        start = time.monotonic()
        while True:
            try:
                if condition():
                    return time.monotonic() - start
            except Exception:  # The page is just being replaced
                if time.monotonic() - start > seconds:
                    raise
            if time.monotonic() - start > seconds:
                raise AssertionError(f"not within {seconds} s: {what}")
            time.sleep(0.02)

    def submit(self, selector):
        """Clicks, and waits for the next page."""
        before = self.one("html")
        self.one(selector).click()

        def is_gone():
            return self.one("html") != before

        self.until(is_gone, f"the page behind {selector}")

    def collect(self):
        """Errors on the console and policy violations so far."""
        self.errors += [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING")
        ]
        try:
            self.errors += self.run("return window.violations ?? []")
            self.run("if (window.violations) window.violations = []")
        except Exception:  # Without script, and before the first page
            pass
        return self.errors

    def paint(self):
        """Milliseconds from the request to the first content."""
        self.until(lambda: self.run(PAINT) is not None, "a first paint")
        return self.run(PAINT)

    def overflows(self):
        """Whether the page is wider than its window, or a table wider than its container."""
        return self.run(
            "const page = document.documentElement;"
            "return page.scrollWidth > page.clientWidth"
            " || [...document.querySelectorAll('table')].some((table) =>"
            " table.getBoundingClientRect().right"
            " > table.parentElement.getBoundingClientRect().right - 4)"
        )

    def picture(self, path, whole=True):
        shot = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
