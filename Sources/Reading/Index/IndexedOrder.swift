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

    init(_ row: Row, now: Timestamp) {
        first = UInt64(clamping: row["first"] as Int64)
        last = UInt64(clamping: row["last"] as Int64)
        endpoint = row["endpoint"]
        reference = row["reference"]
        transaction = row["transactionID"]
        status = row["status"]
        let currency = row["currency"] as String?
        amount = Self.money(row["minor"], currency)
        refunded = Self.money(row["refunded"], currency)
        authorized = Self.money(row["authorized"], currency)
        captured = Self.money(row["captured"], currency)
        reason = Reason(code: row["reasonCode"], message: row["reasonMessage"])
        flags = (row["flags"] as String).split(separator: ",").map(String.init)
        created = Timestamp(microseconds: row["created"])
        updated = Timestamp(microseconds: row["updated"])
        expected = Self.money(row["expectedMinor"], row["expectedCurrency"])
        expires = (row["expires"] as Int64?).map(Timestamp.init(microseconds:))
        metadata = row["metadata"]
        let isOverdue =
            OrderStatus(rawValue: status).map {
                Overdue.isOverdue($0, expires, now: now)
            } ?? false
        if isOverdue { flags.append(Overdue.flag) }
    }

    private static func money(_ minor: Int64?, _ currency: String?) -> Money? {
        guard let minor, let currency = currency.flatMap({ Currency($0) }) else { return nil }
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
