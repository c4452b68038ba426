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

    var lines: [String] {
        var lines = [
            "\(Self.text(order["endpoint"]))/\(Self.text(order["reference"]))  "
                + Self.text(order["status"]).uppercased()
        ]
        lines += facts.map { name, value in
            "  " + name + String(repeating: " ", count: max(2, 12 - name.count)) + value
        }
        lines += section("flags", flags) + section("attempts", attempts.lines)
        for (title, key) in [
            ("captures", "captures"), ("refunds", "refunds"),
            ("refunds of unknown sums", "refundClaims"),
            ("disputes", "disputes"), ("reversals", "reversals"),
        ] {
            let things = key == "captures" ? captures : elements(key)
            if !things.isEmpty { lines += section(title, table(of: things).lines) }
        }
        return lines + section("timeline", timeline.lines)
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
        return facts.filter { !$0.1.isEmpty }
    }

    private var flags: [String] {
        elements("flags").compactMap(\.string).map { flag in
            "\(flag): \(FlagAdvice.sentences[flag] ?? "see config/orders.md")"
        }
    }

    private var attempts: TextTable {
        var table = TextTable([
            ("transaction", .left), ("status", .left), ("amount", .right), ("reason", .left),
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
            ("id", .left), ("status", .left), ("amount", .right), ("reason", .left),
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
            ("sequence", .right), ("received", .left), ("event", .left), ("outcome", .left),
            ("order", .left),
        ])
        for record in records {
            let event = record["event"]
            table.add([
                "\(record["sequence"]?.int64 ?? 0)", Self.text(record["received"]),
                [Self.text(event?["kind"]), Self.text(event?["status"])].filter { !$0.isEmpty }
                    .joined(separator: " "),
                Self.text(record["outcome"]), Self.text(record["order"]?["status"]),
            ])
        }
        return table
    }

    private func elements(_ key: String) -> [JSONValue] {
        order[key].map { Array($0.elements) } ?? []
    }

    /// Nothing where there is nothing but a title.
    private func section(_ title: String, _ lines: [String]) -> [String] {
        guard lines.count > (title == "flags" ? 0 : 1) else { return [] }
        return ["", title] + lines.map { "  \($0)" }
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
