import Bytes
import Cryptography
import Payments
import Platform

/// One order of a trial.
package struct SimulationOrder: Sendable, Equatable {
    package var reference: String
    /// The provider's id of the first payment attempt; nil derives one from the reference.
    package var transaction: String?
    package var money: Money
    /// Time of the first event.
    package var began: Timestamp

    package init(reference: String, transaction: String? = nil, money: Money, began: Timestamp) {
        self.reference = reference
        self.transaction = transaction
        self.money = money
        self.began = began
    }

    /// Creates `count` orders. With several, each name ends with its number.
    ///
    /// - Parameters:
    ///   - reference: Nil creates one from the time and four random bytes.
    ///   - microseconds: The wall clock, since 1970.
    package static func fresh(
        count: Int, reference: String?, transaction: String?, money: Money, microseconds: Int64
    ) -> [SimulationOrder] {
        let stem =
            reference
            ?? "TRY-\(String(microseconds / 1_000_000, radix: 36).uppercased())-"
            + Hex.encode(secureRandomBytes(4)).uppercased()
        // Whole seconds: several providers sign no finer time.
        let began = Timestamp(microseconds: microseconds / 1_000_000 * 1_000_000)
        return (1...max(1, count)).map { number in
            let suffix = count > 1 ? "-\(number)" : ""
            return SimulationOrder(
                reference: stem + suffix, transaction: transaction.map { $0 + suffix },
                money: money, began: began)
        }
    }

    /// The transaction id of an attempt: 32 hex digits derived from the reference.
    func transaction(ofAttempt attempt: Int) -> String {
        if attempt == 1, let transaction { return transaction }
        return Self.identifier(["transaction", transaction ?? "", reference, String(attempt)])
    }

    /// The id of a refund, capture or dispute.
    func action(kind: String, number: Int, transaction: String) -> String {
        Self.identifier([kind, transaction, String(number)])
    }

    private static func identifier(_ parts: [String]) -> String {
        Hex.encode(Array(SHA256.hash(Array(parts.joined(separator: "\n").utf8)).prefix(16)))
    }
}
