"""The report: a table in Markdown, two plots, and the table in scripts/README.md."""

import os

from lab.bench import plot

TITLES = {
    "antom": "Antom, 64 connections, one loop, server on one core",
    "systems": "The other systems, alike",
    "calls": "Calls as providers make them",
    "flat": "With a history",
    "memory": "Memory",
    "tls": "TLS 1.3, same certificate and settings as nginx",
    "loops": "Two loops",
    "start": "Start-up, files in the page cache",
    "reading": "Reading: lists, exports, held readers",
    "empty": "Start with an empty journal, and size",
    "idle": "An idle server",
    "snapshot": "While a snapshot is written",
    "sealed": "With sealed records, server on one core",
    "database": "Database mode: one PostgreSQL 15 on the same cores",
    "delivery": "Deliveries to one destination",
}
BEGIN, END = "<!-- scripts/bench --publish: begin -->\n", "<!-- end -->\n"


def described(machine):
    return "{cores} cores, {model}".format(**machine)


def surroundings(machine):
    """The machine, its system and the programs, for those who compare."""
    return "{}, Linux {kernel}, {disk}, {programs}; {date}".format(described(machine), **machine)


def table(results):
    lines = ["| | measured | beside it | target | |", "|---|---|---|---|---|"]
    for name, title in TITLES.items():
        rows = results["sections"].get(name, {}).get("rows", [])
        if rows:
            lines.append(f"| **{title}** | | | | |")
        lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def plots(results):
    """Name and text of each plot whose sections were measured."""
    sections, machine = results["sections"], described(results["machine"])
    if "antom" in sections:
        antom = sections["antom"]["data"]
        yield "latency.svg", plot.latency(antom["latency"], machine)
        if "flat" in sections:
            yield (
                "cpu.svg",
                plot.cpu(
                    sections["flat"]["data"]["cpu"],
                    antom["cpu"]["floor"],
                    antom["cpu"]["node"],
                    machine,
                ),
            )


def write(results, folder):
    os.makedirs(folder, exist_ok=True)
    drawn = dict(plots(results))
    for name, text in drawn.items():
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
    missing = [name for name in TITLES if name not in results["sections"]]
    with open(f"{folder}/report.md", "w") as file:
        file.write(
            "# ipnd and its references\n\nMade by `scripts/bench`. Compare the ratios; "
            "absolute figures depend on the machine:\n{}.\n\n{}".format(
                surroundings(results["machine"]), table(results)
            )
        )
        if missing:
            file.write(f"\nNot measured with this binary: {', '.join(missing)}.\n")
        for name in drawn:
            file.write(f"\n![{name[:-4]}]({name})\n")
    print(
        f"report: {folder}/report.md" + (f"; not measured: {', '.join(missing)}" if missing else "")
    )


def publish(results, scripts):
    """Writes the report, and its table between two marks in scripts/README.md."""
    write(results, f"{scripts}/bench-report")
    path = f"{scripts}/README.md"
    with open(path) as file:
        text = file.read()
    head, rest = text.split(BEGIN)
    tail = rest.split(END, 1)[1]
    with open(path, "w") as file:
        file.write(
            f"{head}{BEGIN}On {surroundings(results['machine'])}:\n\n{table(results)}{END}{tail}"
        )
