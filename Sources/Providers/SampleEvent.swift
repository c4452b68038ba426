import Bytes
import Cryptography
import Payments

/// One event that `ipnd send` asks a ``Sender`` to sign.
package struct SampleEvent: Sendable, Equatable {
    package var type: EventType

    /// The merchant's order reference.
    package var reference: String

    /// The provider's id of the payment.
    package var transaction: String

    /// The provider's id of the refund, capture or dispute.
    package var actionID: String
    package var money: Money
    package var occurred: Timestamp

    /// Which event of its run this is, counted from 1.
    package var number: Int

    package var kind: String { type.kind }
    package var status: String { type.status }

    /// Ids that are not given follow from the reference (and the transaction and number), so that
    /// the same arguments always make the same event.
    package init(
        type: EventType, reference: String, transaction: String? = nil,
        actionID: String? = nil,
        money: Money, occurred: Timestamp, number: Int = 1
    ) {
        let transaction = transaction ?? Self.identifier("transaction", reference)
        self.type = type
        self.reference = reference
        self.transaction = transaction
        self.actionID = actionID ?? Self.identifier(type.kind, transaction, String(number))
        self.money = money
        self.occurred = occurred
        self.number = number
    }

    /// 32 hex digits, the look of many providers' ids, that depend on nothing but `parts`.
    static func identifier(_ parts: String...) -> String {
        Hex.encode(Array(SHA256.hash(Array(parts.joined(separator: "\n").utf8)).prefix(16)))
    }
}
