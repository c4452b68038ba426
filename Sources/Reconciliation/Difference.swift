import JSON
import Payments

/// A difference between the ledger and the other side, in one order.
package struct Difference: Sendable, Equatable, JSONWritable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The other side has an order that the ledger does not have.
        case missingHere = "missing_here"
        /// The ledger has an order that the other side should have and does not.
        case missingThere = "missing_there"
        case otherAmount = "other_amount"
        case otherStatus = "other_status"
        /// The provider's answer raised a flag.
        case newDoubt = "new_doubt"
        /// The provider's answer has nothing about the order that could be compared.
        case notAnswered = "not_answered"
    }

    package var reference: String
    package var kind: Kind
    /// The values of the ledger and of the other side; empty if there is none.
    package var here: String
    package var there: String
    /// The cause or the place: a line of the file, or the reason of an answer.
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

    package func write(to json: inout JSONWriter) {
        json.object { for (name, value) in members { $0.member(name, value) } }
    }

    /// Nil unless the object was written by `write`.
    package init?(_ value: JSONValue) {
        guard let reference = value["reference"]?.string,
            let kind = value["difference"]?.string.flatMap(Kind.init(rawValue:))
        else { return nil }
        self.init(
            kind, reference, here: value["here"]?.string ?? "",
            there: value["there"]?.string ?? "", detail: value["detail"]?.string ?? "")
    }
}

/// The compared properties of an order in the ledger.
package struct LedgerOrder: Sendable, Equatable, JSONWritable {
    package var reference: String?
    /// Its first record, which never changes.
    package var first: UInt64
    package var status: OrderStatus
    package var amount: Money?
    package var captured: Money?
    package var refunded: Money?
    package var expected: Money?
    package var flags: [String]

    /// Whether the provider has ever reported the order.
    package var hasAttempts: Bool

    package init(_ status: OrderStatus, reference: String?, first: UInt64 = 0) {
        self.status = status
        self.reference = reference
        self.first = first
        flags = []
        hasAttempts = false
    }

    /// Reads the form that `write(to:)` writes; nil for anything else.
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
        flags = value["flags"].map { $0.elements.compactMap(\.string) } ?? []
        hasAttempts = value["attempts"]?.elements.contains { _ in true } ?? false
    }

    /// Writes what is compared of an order without a statement.
    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("status", status.rawValue)
            json.member("reference", ifPresent: reference)
            json.member("first", first)
            for (name, money) in [
                ("amount", amount), ("captured", captured), ("refunded", refunded),
            ] {
                guard let money else { continue }
                json.object(name) {
                    $0.member("minor", money.minor)
                    $0.member("currency", money.currency.code)
                }
            }
            json.member("flags", flags)
            json.member("attempts", hasAttempts ? [1] : [])
        }
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
