// Every page works without this file. With it, a page reloads its live parts when something has
// changed, lists are filtered while the user types, and times are in the user's time zone.
//
// The file is also a shared worker, so that all pages of a browser share one stream: browsers open
// only six connections to a host.
"use strict";

const isWorker = typeof SharedWorkerGlobalScope !== "undefined";

function listen(address, report) {
  const source = new EventSource(address);
  for (const name of ["change", "tick", "end"]) {
    source.addEventListener(name, () => {
      if (name === "end") source.close();
      report(name);
    });
  }
  source.onopen = () => report("open");
  // A browser retries by itself, unless the answer was not a stream.
  source.onerror = () => report(source.readyState === EventSource.CLOSED ? "closed" : "lost");
  return source;
}

function serveWorker() {
  const ports = new Set();
  let source = null;
  let isOpen = false;
  const report = (name) => {
    if (name === "open") isOpen = true;
    if (name !== "open" && name !== "change" && name !== "tick") isOpen = false;
    for (const port of ports) port.postMessage(name);
  };
  const start = () => {
    if (source === null || source.readyState === EventSource.CLOSED) source = listen("stream", report);
    else if (isOpen) report("open");
  };
  self.onconnect = (event) => {
    const port = event.ports[0];
    ports.add(port);
    port.onmessage = (message) => {
      if (message.data !== "bye") return;
      ports.delete(port);
      if (ports.size > 0 || source === null) return;
      source.close();
      source = null;
      isOpen = false;
    };
    start();
  };
}

// MARK: Times

function localTimes(root) {
  const format = new Intl.DateTimeFormat(undefined, {
    year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit",
    timeZoneName: "short",
  });
  for (const time of root.querySelectorAll("time[datetime]")) {
    const date = new Date(time.dateTime);
    if (!Number.isNaN(date.getTime())) time.textContent = format.format(date);
  }
}

// Days of a form are days in the reader's time zone, too: the server gets its offset in minutes.
function localDays(form) {
  const field = form.elements.namedItem("zone");
  if (field === null) return;
  const day = form.elements.namedItem("from").value || form.elements.namedItem("to").value;
  const date = day === "" ? new Date() : new Date(`${day}T12:00:00`);
  field.value = day === "" ? "" : String(-date.getTimezoneOffset());
  const parts = new Intl.DateTimeFormat(undefined, { timeZoneName: "short" }).formatToParts(date);
  const name = parts.find((part) => part.type === "timeZoneName");
  for (const place of form.querySelectorAll("[data-zone]")) place.textContent = `(${name ? name.value : "UTC"})`;
}

// MARK: Reloading

const page = { isLooking: false, again: false, polls: false, last: 0, request: null };
const pauseMilliseconds = 400;
const pollMilliseconds = 5000;

function say(text) {
  const place = document.getElementById("announce");
  if (place.textContent !== text) place.textContent = text;
}

// Replaces the live parts of the page by those of `fresh`. Returns the new rows.
function take(fresh, marks) {
  const changed = [];
  for (const part of document.querySelectorAll("[data-live]")) {
    const other = fresh.getElementById(part.id);
    if (other === null) { part.replaceChildren(); continue; }
    localTimes(other);
    if (part.outerHTML === other.outerHTML) continue;
    if (part.dataset.say !== undefined && part.dataset.say !== other.dataset.say) say(`Now ${other.dataset.say}`);
    // The focus and opened details are kept.
    const open = [...part.querySelectorAll("details[open]")].map((details) => details.id);
    const focus = part.contains(document.activeElement) ? placeOf(document.activeElement) : null;
    const before = new Map([...part.querySelectorAll("[id]")].map((row) => [row.id, row.dataset.version]));
    const copy = document.importNode(other, true);
    for (const id of open) copy.querySelector(`#${CSS.escape(id)}`)?.setAttribute("open", "");
    part.replaceWith(copy);
    if (focus !== null) focus(copy)?.focus({ preventScroll: true });
    if (!marks) continue;
    for (const row of copy.querySelectorAll("tr[id], .timeline > li[id]")) {
      if (before.has(row.id) && before.get(row.id) === row.dataset.version) continue;
      row.classList.add("fresh");
      changed.push(row);
    }
  }
  return changed;
}

// Returns a function that finds the element in a fresh copy of its part.
function placeOf(element) {
  if (element.id) return (copy) => copy.querySelector(`#${CSS.escape(element.id)}`);
  const row = element.closest("[id]");
  const address = element.getAttribute("href");
  return (copy) => {
    const around = row && copy.id !== row.id ? copy.querySelector(`#${CSS.escape(row.id)}`) : copy;
    if (address !== null) return around?.querySelector(`a[href="${CSS.escape(address)}"]`);
    return around?.querySelector(element.tagName);
  };
}

async function load(address, marks) {
  page.request?.abort();
  page.request = new AbortController();
  const answer = await fetch(address, {
    headers: { "Ipnd-Live": "1" }, signal: page.request.signal, credentials: "same-origin",
  });
  // The session has ended, so the request was redirected to the sign-in.
  if (answer.redirected) { location.reload(); return []; }
  if (!answer.ok) return [];
  return take(new DOMParser().parseFromString(await answer.text(), "text/html"), marks);
}

async function look() {
  if (document.hidden || page.isLooking) { page.again = true; return; }
  page.isLooking = true;
  page.again = false;
  try {
    const address = new URL(location.href);
    address.searchParams.delete("notice");
    const changed = await load(address, true);
    const rows = changed.filter((row) => row.tagName === "TR").length;
    if (rows > 0) say(rows === 1 ? "1 row has changed" : `${rows} rows have changed`);
  } catch (error) {
    // A search replaced it, or the server is unreachable. The stream reports when it is back.
  }
  setTimeout(() => {
    page.isLooking = false;
    if (page.again) look();
  }, pauseMilliseconds);
}

// Used without a stream: too many are open, or the session has ended, which the next reload finds.
function poll() {
  look();
  setTimeout(poll, pollMilliseconds);
}

function show(isOn) {
  const live = document.getElementById("live");
  live.hidden = false;
  live.classList.toggle("on", isOn);
  document.getElementById("live-word").textContent = isOn ? "Live" : "Reconnecting";
}

function handle(name) {
  if (name === "end") { location.reload(); return; }
  show(name !== "lost" && name !== "closed");
  if (name === "closed" && !page.polls) {
    page.polls = true;
    setTimeout(poll, pollMilliseconds);
  }
  if (name === "lost" || name === "closed") return;
  // The page itself is the first look.
  if (name === "open" && page.last === 0) { page.last = 1; return; }
  look();
}

function connect(base) {
  if (typeof SharedWorker === "undefined") {
    const source = listen(`${base}stream`, handle);
    addEventListener("pagehide", () => source.close());
    return;
  }
  const worker = new SharedWorker(document.currentScript.src);
  worker.port.onmessage = (message) => handle(message.data);
  worker.port.start();
  addEventListener("pagehide", () => worker.port.postMessage("bye"));
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}

// MARK: Searching

function search(form) {
  let timer = 0;
  const run = async () => {
    localDays(form);
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value !== "") query.append(name, value);
    const text = query.toString();
    history.replaceState(null, "", text === "" ? location.pathname : `?${text}`);
    try {
      await load(location.href, false);
      const rows = document.querySelectorAll("#list tbody tr").length;
      say(rows === 0 ? "No orders match" : `${rows} orders shown`);
    } catch (error) {
      // A later search replaced it.
    }
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(run, 180);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    run();
  });
}

function start() {
  const base = document.body.dataset.base;
  localTimes(document);
  for (const form of document.querySelectorAll("form[data-search]")) {
    localDays(form);
    search(form);
  }
  document.addEventListener("visibilitychange", () => { if (!document.hidden && page.again) look(); });
  // The answer to a refused act cannot be reloaded.
  if (document.body.dataset.screen !== "none") connect(base);
  // A running verification is shown more often than every tick.
  setInterval(() => { if (document.querySelector('[data-quick="1"]')) look(); }, 1000);
}

if (isWorker) serveWorker();
else start();
