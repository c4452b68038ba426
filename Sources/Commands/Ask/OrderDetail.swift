import AdminAPI
import Console
import JSON

/// One order in full: the output of `ipnd orders REFERENCE`.
struct OrderDetail {
    /// The answer of `GET /orders/{endpoint}/{reference}`.
    let order: JSONValue
    /// The order in `GET /orders`, which alone has the merchant's metadata.
    let listed: JSONValue
    /// Its last records, oldest first, as `GET /events` returns them.
    let records: [JSONValue]
    var terminal = Terminal.none

    var lines: [String] {
        var lines = [
            "\(Self.text(order["endpoint"]))/\(Self.text(order["reference"]))  "
                + terminal.colored(
                    Self.text(order["status"]).uppercased(), as: Self.text(order["status"]))
        ]
        lines += facts.lines(nameWidth: 12, on: terminal).map { "  \($0)" }
        lines += section("flags", flags) + section("attempts", attempts.lines(on: indented))
        for (title, key) in [
            ("captures", "captures"), ("refunds", "refunds"),
            ("refunds of unknown sums", "refundClaims"),
            ("disputes", "disputes"), ("reversals", "reversals"),
        ] {
            let things = key == "captures" ? captures : elements(key)
            if !things.isEmpty { lines += section(title, table(of: things).lines(on: indented)) }
        }
        return lines + section("timeline", timeline.lines(on: indented))
    }

    private var facts: NamedValues {
        var facts = NamedValues()
        func add(_ name: String, _ value: String) {
            if !value.isEmpty { facts.line(name, value) }
        }
        for name in ["amount", "authorized", "captured", "refunded"] {
            add(name, OrdersCommand.money(order[name], hidesZero: name == "refunded"))
        }
        add("claims", Self.sums(order["claims"]))
        add("candidates", Self.sums(order["candidates"]))
        if let expected = order["expected"] {
            let end = expected["expires"]?.string.map { ", until \($0)" } ?? ""
            add("expected", OrdersCommand.money(expected["amount"]) + end)
        }
        let metadata = listed["expected"]?["metadata"].map {
            TextTable.printable(String(decoding: $0.rawBytes, as: UTF8.self))
        }
        add("metadata", metadata ?? "")
        add("aliases", elements("aliases").map { Self.text($0) }.joined(separator: ", "))
        add("reason", Self.reason(order))
        add("method", Self.text(order["method"]))
        add("agreement", Self.text(order["agreement"]))
        if let resolution = order["resolution"] {
            let counts = resolution["stands"]?.bool == true
            add(
                "resolved",
                "\(Self.text(resolution["status"])) by \(Self.text(resolution["by"])) at "
                    + "\(Self.text(resolution["resolved"])): "
                    + Self.text(resolution["reason"])
                    + (counts ? "" : " (does not count any more)"))
        }
        return facts
    }

    /// The terminal less the indentation of sections.
    private var indented: Terminal { terminal.narrowed(by: 2) }

    private var flags: [String] {
        elements("flags").compactMap(\.string).map { flag in
            "\(flag): \(FlagAdvice.sentences[flag] ?? "see config/orders.md")"
        }
    }

    private var attempts: TextTable {
        var table = TextTable([
            ("transaction", .left), ("status", .word), ("amount", .right), ("reason", .left),
        ])
        for attempt in elements("attempts") {
            table.add([
                Self.text(attempt["transaction"]), Self.text(attempt["status"]),
                OrdersCommand.money(attempt["amount"]), Self.reason(attempt),
            ])
        }
        return table
    }

    private var captures: [JSONValue] {
        elements("attempts").flatMap { $0["captures"].map { Array($0.elements) } ?? [] }
    }

    /// A table of captures, refunds, disputes or reversals.
    private func table(of things: [JSONValue]) -> TextTable {
        var table = TextTable([
            ("id", .left), ("status", .word), ("amount", .right), ("reason", .left),
        ])
        for thing in things {
            table.add([
                Self.text(thing["id"]), Self.text(thing["status"]),
                OrdersCommand.money(thing["amount"]), Self.reason(thing),
            ])
        }
        return table
    }

    private var timeline: TextTable {
        var table = TextTable([
            ("sequence", .right), ("received", .time), ("event", .left), ("outcome", .word),
            ("order", .word),
        ])
        for record in records {
            let event = record["event"]
            table.add([
                "\(record["sequence"]?.int64 ?? 0)", Self.text(record["received"]),
                Self.words(event),
                Self.text(record["outcome"]), Self.text(record["order"]?["status"]),
            ])
        }
        return table
    }

    /// The event in words; for a person's decision also by whom and why.
    private static func words(_ event: JSONValue?) -> String {
        var words = [text(event?["kind"]), text(event?["status"])]
        if let action = event?["action"] {
            words.append("by \(text(action["by"]))")
            let reason = text(action["reason"])
            if !reason.isEmpty { words.append("(\(reason))") }
        }
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }

    private func elements(_ key: String) -> [JSONValue] {
        order[key].map { Array($0.elements) } ?? []
    }

    /// A section with its title; empty if it has no rows.
    private func section(_ title: String, _ lines: [String]) -> [String] {
        guard lines.count > (title == "flags" ? 0 : 1) else { return [] }
        return ["", terminal.bold(title)] + lines.map { "  \($0)" }
    }

    private static func text(_ value: JSONValue?) -> String {
        TextTable.printable(value?.string ?? "")
    }

    private static func reason(_ value: JSONValue) -> String {
        guard let reason = value["reason"] else { return "" }
        return [text(reason["code"]), text(reason["message"])].filter { !$0.isEmpty }
            .joined(separator: ": ")
    }

    private static func sums(_ list: JSONValue?) -> String {
        (list.map { Array($0.elements) } ?? []).map { OrdersCommand.money($0) }
            .joined(separator: ", ")
    }
}
