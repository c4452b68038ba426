import GRDB
import JSON
import Payments

/// An order as the index has it: what a list shows.
package struct IndexedOrder: Sendable, Equatable {
    package var first: UInt64
    package var last: UInt64
    package var endpoint: String
    package var reference: String?
    package var transaction: String?
    package var status: String
    package var amount: Money?
    package var refunded: Money?
    /// What was set aside or taken at once.
    package var authorized: Money?
    /// What was taken.
    package var captured: Money?
    /// Why it failed, expired or was canceled, by the provider's word.
    package var reason: Reason?
    package var flags: [String]
    package var created: Timestamp
    package var updated: Timestamp
    package var expected: Money?
    package var expires: Timestamp?
    /// The merchant's own JSON object.
    package var metadata: String?

    /// Throws `RowDecodingError` or `IndexDamage` when the row holds what is never put there.
    init(_ row: Row, now: Timestamp) throws {
        first = UInt64(clamping: try row.decode(Int64.self, forColumn: "first"))
        last = UInt64(clamping: try row.decode(Int64.self, forColumn: "last"))
        endpoint = try row.decode(forColumn: "endpoint")
        reference = try row.decode(forColumn: "reference")
        transaction = try row.decode(forColumn: "transactionID")
        status = try row.decode(forColumn: "status")
        let currency = try row.decode(String?.self, forColumn: "currency")
        amount = try Self.money(row, "minor", currency)
        refunded = try Self.money(row, "refunded", currency)
        authorized = try Self.money(row, "authorized", currency)
        captured = try Self.money(row, "captured", currency)
        reason = Reason(
            code: try row.decode(String?.self, forColumn: "reasonCode"),
            message: try row.decode(String?.self, forColumn: "reasonMessage"))
        flags = try row.decode(String.self, forColumn: "flags").split(separator: ",")
            .map(String.init)
        created = Timestamp(microseconds: try row.decode(forColumn: "created"))
        updated = Timestamp(microseconds: try row.decode(forColumn: "updated"))
        expected = try Self.money(
            row, "expectedMinor", row.decode(String?.self, forColumn: "expectedCurrency"))
        expires = try row.decode(Int64?.self, forColumn: "expires")
            .map(Timestamp.init(microseconds:))
        metadata = try row.decode(forColumn: "metadata")
        // It goes into answers as it stands.
        if let metadata, (try? JSONDocument(parsing: Array(metadata.utf8))) == nil {
            throw IndexDamage("order \(first): its metadata is not valid JSON")
        }
        let isOverdue =
            OrderStatus(rawValue: status).map {
                Overdue.isOverdue($0, expires, now: now)
            } ?? false
        if isOverdue { flags.append(Overdue.flag) }
    }

    private static func money(
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

    /// As `GET /orders` lists it.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("endpoint")
        writer.string(endpoint)
        writer.key("reference")
        if let reference { writer.string(reference) } else { writer.null() }
        writer.key("status")
        writer.string(status)
        writer.key("amount")
        writer.money(amount)
        writer.key("authorized")
        writer.money(authorized)
        writer.key("captured")
        writer.money(captured)
        writer.key("refunded")
        writer.money(refunded)
        if let reason {
            writer.key("reason")
            writer.reason(reason)
        }
        writer.key("flags")
        writer.beginArray()
        for flag in flags { writer.string(flag) }
        writer.endArray()
        if let transaction {
            writer.key("transaction")
            writer.string(transaction)
        }
        writer.key("created")
        writer.string(created.rfc3339)
        writer.key("updated")
        writer.string(updated.rfc3339)
        writer.key("first")
        writer.integer(first)
        writer.key("last")
        writer.integer(last)
        writeExpectation(to: &writer)
        writer.endObject()
    }

    private func writeExpectation(to writer: inout JSONWriter) {
        guard let expected else { return }
        writer.key("expected")
        writer.beginObject()
        writer.key("amount")
        writer.money(expected)
        if let expires {
            writer.key("expires")
            writer.string(expires.rfc3339)
        }
        if let metadata {
            writer.key("metadata")
            writer.raw(Array(metadata.utf8)[...])
        }
        writer.endObject()
    }
}

extension JSONWriter {
    /// `{"code":"…","message":"…"}`.
    mutating func reason(_ reason: Reason) {
        beginObject()
        key("code")
        string(reason.code)
        key("message")
        string(reason.message)
        endObject()
    }

    /// `{"minor":4200,"currency":"MYR"}`, or null.
    mutating func money(_ money: Money?) {
        guard let money else { return null() }
        beginObject()
        key("minor")
        integer(money.minor)
        key("currency")
        string(money.currency.code)
        endObject()
    }
}
