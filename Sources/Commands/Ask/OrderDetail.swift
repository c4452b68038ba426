import AdminAPI
import JSON
import Simulator

/// One order with all that is known of it: what `ipnd orders REFERENCE` prints.
struct OrderDetail {
    /// As `GET /orders/{endpoint}/{reference}` gives it.
    let order: JSONValue
    /// As `GET /orders` lists it: what the merchant attached is only there.
    let listed: JSONValue
    /// Its last records, oldest first, as `GET /events` gives them.
    let records: [JSONValue]
    var terminal = Terminal.none

    var lines: [String] {
        var lines = [
            "\(Self.text(order["endpoint"]))/\(Self.text(order["reference"]))  "
                + terminal.colored(
                    Self.text(order["status"]).uppercased(), as: Self.text(order["status"]))
        ]
        lines += facts.map { name, value in
            "  " + terminal.bold(name) + String(repeating: " ", count: max(2, 12 - name.count))
                + value
        }
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

    private var facts: [(name: String, value: String)] {
        var facts = ["amount", "authorized", "captured", "refunded"].map { name in
            (name, OrdersCommand.money(order[name], hidesZero: name == "refunded"))
        }
        facts.append(("claims", Self.sums(order["claims"])))
        facts.append(("candidates", Self.sums(order["candidates"])))
        if let expected = order["expected"] {
            let end = expected["expires"]?.string.map { ", until \($0)" } ?? ""
            facts.append(("expected", OrdersCommand.money(expected["amount"]) + end))
        }
        let metadata = listed["expected"]?["metadata"].map {
            TextTable.printable(String(decoding: $0.rawBytes, as: UTF8.self))
        }
        facts.append(("metadata", metadata ?? ""))
        facts.append(("aliases", elements("aliases").map { Self.text($0) }.joined(separator: ", ")))
        facts.append(("reason", Self.reason(order)))
        facts.append(("method", Self.text(order["method"])))
        facts.append(("agreement", Self.text(order["agreement"])))
        if let resolution = order["resolution"] {
            let stands = resolution["stands"]?.bool == true
            facts.append(
                (
                    "resolved",
                    "\(Self.text(resolution["status"])) by \(Self.text(resolution["by"])) at "
                        + "\(Self.text(resolution["resolved"])): "
                        + Self.text(resolution["reason"])
                        + (stands ? "" : " (does not count any more)")
                ))
        }
        return facts.filter { !$0.1.isEmpty }
    }

    /// Sections stand two columns in.
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

    /// Captures, refunds, disputes and reversals look alike.
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

    /// What happened; of what a person did also who and why.
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

    /// Nothing where there is nothing but a title.
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
