import Foundation
import TestSupport
import Testing

/// One order in every view: by its reference, in the list, as CSV and in the feed. All must agree
/// and conform to config/openapi.yaml.
struct OrderViews {
    typealias Object = [String: Any]

    let order: Object
    let row: Object
    let csv: [String: String]
    /// All records in the store.
    let records: [Object]

    /// - Parameter reference: The order's own, or an alias.
    init(_ instance: Instance, _ endpoint: String, _ reference: String) throws {
        let admin = try instance.admin()
        order = try admin.get("/orders/\(endpoint)/\(reference)").object()
        let last = try #require((order["sequences"] as? [Int])?.last)
        let isIndexed = try eventually {
            try admin.get("/orders?limit=1").object()["indexed"] as? Int ?? 0 >= last
        }
        try #require(isIndexed)
        let own = order["reference"] as? String
        let list = try admin.get("/orders?endpoint=\(endpoint)").object()["orders"] as? [Object]
        let rows = try #require(list).filter { $0["reference"] as? String == own }
        #expect(rows.count == 1)
        row = try #require(rows.first)
        let export = try admin.get("/orders?endpoint=\(endpoint)", accept: "text/csv").body
        let lines = export.components(separatedBy: "\r\n").map(Self.cells)
        let cells = try #require(lines.first { $0.count > 1 && $0[1] == own ?? "" })
        csv = Dictionary(uniqueKeysWithValues: zip(lines[0], cells))
        records = try #require(
            try admin.get("/events?limit=1000").object()["events"] as? [Object])
        try expectAgreement(last)
    }

    /// The views after a restart with only the records; in a database the tables are kept.
    static func afterReplay(
        of instance: Instance, _ endpoint: String, _ reference: String
    ) throws -> OrderViews {
        let before = try OrderViews(instance, endpoint, reference)
        instance.stop()
        if instance.database == nil {
            try FileManager.default.removeItem(atPath: "\(instance.folder)/index")
            let files = try FileManager.default.contentsOfDirectory(atPath: instance.journal)
            for file in files where file.hasSuffix(".snapshot") {
                try FileManager.default.removeItem(atPath: "\(instance.journal)/\(file)")
            }
        }
        try instance.start()
        let after = try OrderViews(instance, endpoint, reference)
        #expect(NSDictionary(dictionary: before.order) == NSDictionary(dictionary: after.order))
        #expect(NSDictionary(dictionary: before.row) == NSDictionary(dictionary: after.row))
        #expect(before.csv == after.csv)
        return after
    }

    var status: String? { order["status"] as? String }
    var flags: [String] { order["flags"] as? [String] ?? [] }
    var aliases: [String] { order["aliases"] as? [String] ?? [] }

    /// A sum of the order in minor units; nil for null.
    func sum(_ name: String) -> Int? { (order[name] as? Object)?["minor"] as? Int }

    /// `claims` or `candidates`, in minor units.
    func sums(_ name: String) -> [Int] {
        (order[name] as? [Object] ?? []).compactMap { $0["minor"] as? Int }
    }

    func list(_ name: String) -> [Object] { order[name] as? [Object] ?? [] }

    // MARK: Agreement

    private static let sumColumns = [
        "amount": "minor", "authorized": "authorizedMinor", "captured": "capturedMinor",
        "refunded": "refundedMinor",
    ]

    private func expectAgreement(_ last: Int) throws {
        let schemas = try DocumentedSchemas()
        #expect(schemas.complaints(about: order, as: "Order") == [])
        #expect(schemas.complaints(about: row, as: "ListedOrder") == [])
        for record in records {
            #expect(schemas.complaints(about: record, as: "Record") == [])
        }
        let record = try #require(records.first { $0["sequence"] as? Int == last })
        let after = try #require(record["order"] as? Object)
        for name in ["status", "reason"] + Self.sumColumns.keys {
            #expect(Self.text(order[name]) == Self.text(row[name]), "\(name)")
            #expect(Self.text(order[name]) == Self.text(after[name]), "\(name)")
        }
        for name in ["claims", "candidates"] {
            #expect(Self.text(order[name]) == Self.text(after[name]), "\(name)")
        }
        #expect(row["flags"] as? [String] == flags)
        #expect(Set(flags).isSubset(of: record["flags"] as? [String] ?? []))
        for (name, column) in Self.sumColumns {
            #expect(csv[column] == sum(name).map { "\($0)" } ?? "", "\(column)")
            // The same amount in units of the currency.
            guard let minor = sum(name), ["MYR", "EUR", "USD"].contains(csv["currency"]) else {
                continue
            }
            #expect(csv[name].flatMap { Double($0) } == Double(minor) / 100, "\(name)")
        }
        for name in ["method", "agreement"] {
            #expect(Self.text(order[name]) == Self.text(row[name]), "\(name)")
            #expect(Self.text(order[name]) == Self.text(after[name]), "\(name)")
            #expect(csv[name] == order[name] as? String ?? "", "\(name)")
        }
        #expect(csv["status"] == status)
        #expect(csv["flags"] == flags.joined(separator: " "))
        let reason = order["reason"] as? [String: String]
        #expect(csv["reasonCode"] == reason?["code"] ?? "")
        let message = reason?["message"] ?? ""
        // Text that a spreadsheet would read as a formula is escaped.
        #expect(csv["reasonMessage"] == (message.hasPrefix("=") ? "'" : "") + message)
    }

    /// A normalised value; null is the same as absent.
    private static func text(_ value: Any?) -> String {
        guard let value, !(value is NSNull) else { return "" }
        let data = try? JSONSerialization.data(
            withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// The cells of a line of CSV (RFC 4180).
    private static func cells(_ line: String) -> [String] {
        var cells = [""]
        var rest = line[...]
        var isQuoted = false
        while let character = rest.popFirst() {
            if character == "\"", isQuoted, rest.first == "\"" {
                cells[cells.count - 1].append("\"")
                rest.removeFirst()
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                cells.append("")
            } else {
                cells[cells.count - 1].append(character)
            }
        }
        return cells
    }
}
