import GRDB
import JSON
import Payments
import Store

extension ListedOrder {
    /// Throws `RowDecodingError` or `IndexDamage` when the row holds a value that is never written.
    init(_ row: Row, now: Timestamp) throws {
        self.init(
            first: UInt64(clamping: try row.decode(Int64.self, forColumn: "first")),
            last: UInt64(clamping: try row.decode(Int64.self, forColumn: "last")),
            endpoint: try row.decode(forColumn: "endpoint"),
            status: try row.decode(forColumn: "status"),
            created: Timestamp(microseconds: try row.decode(forColumn: "created")),
            updated: Timestamp(microseconds: try row.decode(forColumn: "updated")))
        reference = try row.decode(forColumn: "reference")
        transaction = try row.decode(forColumn: "transactionID")
        let currency = try row.decode(String?.self, forColumn: "currency")
        amount = try Self.money(row, "minor", currency)
        refunded = try Self.money(row, "refunded", currency)
        authorized = try Self.money(row, "authorized", currency)
        captured = try Self.money(row, "captured", currency)
        reason = Reason(
            code: try row.decode(String?.self, forColumn: "reasonCode"),
            message: try row.decode(String?.self, forColumn: "reasonMessage"))
        method = try row.decode(forColumn: "method")
        agreement = try row.decode(forColumn: "agreement")
        flags = try row.decode(String.self, forColumn: "flags").split(separator: ",")
            .map(String.init)
        expected = try Self.money(
            row, "expectedMinor", row.decode(String?.self, forColumn: "expectedCurrency"))
        expires = try row.decode(Int64?.self, forColumn: "expires")
            .map(Timestamp.init(microseconds:))
        metadata = try row.decode(forColumn: "metadata")
        // It goes into answers unchanged.
        if let metadata, (try? JSONDocument(parsing: Array(metadata.utf8))) == nil {
            throw IndexDamage("order \(first): its metadata is not valid JSON")
        }
        noteOverdue(now: now)
    }

    fileprivate static func money(
        _ row: Row, _ column: String, _ code: String?
    ) throws -> Money? {
        guard let minor = try row.decode(Int64?.self, forColumn: column), let code else {
            return nil
        }
        guard let currency = Currency(code) else {
            throw IndexDamage("\(column): the currency is not three capital letters")
        }
        return Money(minor: minor, currency: currency)
    }
}

extension PaidHours.Row {
    /// Throws `RowDecodingError` or `IndexDamage` when the row holds a value that is never written.
    init(_ row: Row) throws {
        let currency = try row.decode(String?.self, forColumn: "currency")
        guard let captured = try ListedOrder.money(row, "total", currency) else {
            throw IndexDamage("captured money without a currency")
        }
        self.init(
            hour: Timestamp(microseconds: try row.decode(forColumn: "hour")),
            endpoint: try row.decode(forColumn: "endpoint"),
            orders: try row.decode(forColumn: "number"), captured: captured)
    }
}
