import JSON
import Payments

/// What the ledger and the other side disagree about, of one order.
package struct Difference: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The other side has an order that the ledger does not know.
        case missingHere = "missing_here"
        /// The ledger has an order that the other side should have and does not.
        case missingThere = "missing_there"
        case otherAmount = "other_amount"
        case otherStatus = "other_status"
        /// The provider's answer raised a flag.
        case newDoubt = "new_doubt"
        /// The provider did not say anything about the order that could be compared.
        case notAnswered = "not_answered"
    }

    package var reference: String
    package var kind: Kind
    /// What the ledger has, and what the other side says; empty where there is nothing.
    package var here: String
    package var there: String
    /// Why, or where: a line of the file, the reason of an answer.
    package var detail: String

    package init(
        _ kind: Kind, _ reference: String, here: String = "", there: String = "",
        detail: String = ""
    ) {
        self.reference = reference
        self.kind = kind
        self.here = here
        self.there = there
        self.detail = detail
    }

    /// The members, in the order of the table's columns.
    package var members: [(name: String, value: String)] {
        [
            ("reference", reference), ("difference", kind.rawValue), ("here", here),
            ("there", there), ("detail", detail),
        ]
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, value) in members {
            writer.key(name)
            writer.string(value)
        }
        writer.endObject()
    }

    /// Nil of an object that `write` has not made.
    package init?(_ value: JSONValue) {
        guard let reference = value["reference"]?.string,
            let kind = value["difference"]?.string.flatMap(Kind.init(rawValue:))
        else { return nil }
        self.init(
            kind, reference, here: value["here"]?.string ?? "",
            there: value["there"]?.string ?? "", detail: value["detail"]?.string ?? "")
    }
}

/// An order as the ledger knows it, as far as it is compared.
package struct LedgerOrder: Sendable, Equatable {
    package var reference: String?
    /// Its first record, which an order keeps for ever.
    package var first: UInt64
    package var status: OrderStatus
    package var amount: Money?
    package var captured: Money?
    package var refunded: Money?
    package var expected: Money?
    package var flags: [String]

    /// Whether the provider has ever told about it.
    package var hasAttempts: Bool

    package init(_ status: OrderStatus, reference: String?, first: UInt64 = 0) {
        self.status = status
        self.reference = reference
        self.first = first
        flags = []
        hasAttempts = false
    }

    /// An element of `GET /orders`, or the answer of `GET /orders/{endpoint}/{reference}`. Nil of
    /// anything else.
    package init?(_ value: JSONValue) {
        guard let status = value["status"]?.string.flatMap(OrderStatus.init(rawValue:)) else {
            return nil
        }
        self.init(
            status, reference: value["reference"]?.string,
            first: UInt64(clamping: value["first"]?.int64 ?? 0))
        amount = Money(value["amount"])
        captured = Money(value["captured"])
        refunded = Money(value["refunded"])
        expected = Money(value["expected"]?["amount"])
        flags = value["flags"].map { $0.elements.compactMap(\.string) } ?? []
        hasAttempts = value["attempts"]?.elements.contains { _ in true } ?? false
    }

    /// As `init(_:)` reads it.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("status")
        writer.string(status.rawValue)
        if let reference {
            writer.key("reference")
            writer.string(reference)
        }
        writer.key("first")
        writer.integer(first)
        for (name, money) in [
            ("amount", amount), ("captured", captured), ("refunded", refunded),
        ] {
            guard let money else { continue }
            writer.key(name)
            writer.beginObject()
            writer.key("minor")
            writer.integer(money.minor)
            writer.key("currency")
            writer.string(money.currency.code)
            writer.endObject()
        }
        writer.key("flags")
        writer.beginArray()
        for flag in flags { writer.string(flag) }
        writer.endArray()
        writer.key("attempts")
        writer.beginArray()
        if hasAttempts { writer.integer(1) }
        writer.endArray()
        writer.endObject()
    }
}

extension Money {
    /// `{"minor":4200,"currency":"MYR"}`
    package init?(_ value: JSONValue?) {
        guard let minor = value?["minor"]?.int64,
            let currency = value?["currency"]?.string.flatMap({ Currency($0) })
        else { return nil }
        self.init(minor: minor, currency: currency)
    }
}
