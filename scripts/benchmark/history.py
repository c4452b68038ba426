"""What a long history costs: memory, start-up, and each further notification."""

import glob
import os
import time

from sections import micros


def count_text(count):
    return f"{count // 1_000_000:,}" + " million" if count >= 1_000_000 else f"{count:,}"


def history(sections, counts, wanted):
    """Rows of `flat`, `memory` and `start`, as far as `wanted`; one filled journal serves all."""
    sandbox, results = sections.sandbox, sections.results
    found = {}
    sandbox.forget()
    with sandbox.serve() as server:
        time.sleep(1)
        empty = server.rss()
        if "flat" in wanted:
            found[0] = sections.fresh("antom", server)["cpu"]
    rows = {name: [] for name in wanted}
    for count in counts:
        seconds = sandbox.fill(count)
        print(f"  {count:,} events recorded in {seconds:.1f} s", flush=True)
        with sandbox.serve() as server:
            rows.get("start", []).append((
                f"start from a snapshot, {count_text(count)} events", f"{server.startup * 1000:.0f} ms",
                "until it accepts connections",
                *(("≤ 1 s", server.startup <= 1) if count <= 1_000_000 else ())))
            time.sleep(1)
            each = (server.rss() - empty) / sandbox.metric("ipnd_events_remembered")
            rows.get("memory", []).append((
                "remembered order with one event", f"{each:.0f} B", f"mean of {count_text(count)}, resident",
                "≤ 160 B", each <= 160))
            if "flat" in wanted:
                found[count] = cpu = sections.fresh("antom", server)["cpu"]
                rows["flat"].append((
                    f"antom: CPU with {count_text(count)} events remembered", micros(cpu),
                    f"{cpu / found[0]:.2f} × with none ({micros(found[0])})", "≤ 1.1 ×", cpu <= 1.1 * found[0]))
            records = sandbox.metric("ipnd_sequence")
        if "start" in wanted:
            for snapshot in glob.glob(f"{sandbox.ipnd}/journal/*.snapshot"):
                os.remove(snapshot)
            with sandbox.serve() as server:
                took = server.startup
            rows["start"].append((
                f"start without a snapshot, {count_text(count)} events", f"{took:.1f} s",
                f"{records / took:,.0f} records/s", "≥ 300,000/s", records / took >= 300_000))
    sandbox.forget()
    for name in wanted:
        # `memory` has rows already: those that need no history.
        results.resume(name) if name == "memory" else results.begin(name)
        for row in rows[name]:
            results.row(*row)
    if "flat" in wanted:
        results.keep("cpu", [[count, cpu] for count, cpu in found.items()])
