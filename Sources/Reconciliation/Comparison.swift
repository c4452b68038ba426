import Payments

/// Compares a statement with the ledger. Sums are integers of minor units throughout.
package struct Comparison: Sendable {
    /// The sum of an order that a statement's amount is compared with.
    package enum Sum: String, Sendable, CaseIterable {
        /// The paid amount, or the amount to be paid.
        case amount
        /// The captured amount minus refunds, unless one of them is unknown.
        case net
        case captured, refunded
        /// The amount that the merchant registered.
        case expected
    }

    package var sum = Sum.amount
    /// The statuses of the orders that a statement must list.
    package var listed: Set<OrderStatus> = [
        .paid, .partiallyRefunded, .refunded, .disputed, .chargedBack, .review,
    ]
    package private(set) var differences: [Difference] = []
    package private(set) var compared = 0
    /// The totals of statement and ledger, over the orders that both have.
    package private(set) var there = Totals()
    package private(set) var here = Totals()

    package init() {}

    /// Compares an order that both have.
    package mutating func compare(
        _ order: LedgerOrder, as reference: String, _ claim: StatementReader.Claim
    ) {
        compared += 1
        let line = "line \(claim.line)"
        if !claim.amounts.isEmpty {
            let ours = value(of: order)
            if let ours { here.add(ours) }
            for amount in claim.amounts { there.add(amount) }
            if claim.amounts != [ours].compactMap(\.self) {
                differences.append(
                    Difference(
                        .otherAmount, reference, here: ours?.description ?? "",
                        there: claim.amounts.map(\.description).joined(separator: " + "),
                        detail: line))
            }
        }
        if !claim.statuses.isEmpty, !claim.outcomes.contains(order.status) {
            differences.append(
                Difference(
                    .otherStatus, reference, here: order.status.rawValue,
                    there: claim.statuses.map(\.rawValue).joined(separator: " + "), detail: line))
        }
    }

    /// Notes an order that only the statement has.
    package mutating func lacks(_ reference: String, _ claim: StatementReader.Claim) {
        let words = claim.statuses.map(\.rawValue) + claim.amounts.map(\.description)
        differences.append(
            Difference(
                .missingHere, reference, there: words.joined(separator: " "),
                detail: "line \(claim.line)"))
    }

    /// Notes an order that only the ledger has. It is a difference if the statement must list it.
    package mutating func isAlone(_ order: LedgerOrder) {
        guard listed.contains(order.status) else { return }
        let words = [order.status.rawValue, value(of: order)?.description].compactMap(\.self)
        differences.append(
            Difference(
                .missingThere, order.reference ?? "", here: words.joined(separator: " "),
                detail: "record \(order.first)"))
    }

    private func value(of order: LedgerOrder) -> Money? {
        switch sum {
        case .amount: return order.amount
        case .captured: return order.captured
        case .refunded: return order.refunded
        case .expected: return order.expected
        case .net:
            // If either is unknown, so is what is left.
            guard let taken = order.captured, let refunded = order.refunded,
                refunded.currency == taken.currency
            else { return nil }
            let (rest, isOverflow) = taken.minor.subtractingReportingOverflow(refunded.minor)
            return isOverflow ? nil : Money(minor: rest, currency: taken.currency)
        }
    }
}

extension StatementReader.Claim {
    /// The statuses that an order with these rows may have, by its history. A file may list a
    /// payment and then its refund, and an order that is still paid lacks the refund.
    fileprivate var outcomes: Set<OrderStatus> {
        let last = statuses.map(\.stage).max()
        var outcomes = Set(statuses.filter { $0.stage == last || $0 == .review })
        if statuses.count > 1, !outcomes.isDisjoint(with: [.refunded, .partiallyRefunded]) {
            outcomes.formUnion([.refunded, .partiallyRefunded])
        }
        return outcomes
    }
}

extension OrderStatus {
    /// The progress of an order with this status.
    fileprivate var stage: Int {
        switch self {
        case .pending, .failed, .canceled, .expired, .review: 0
        case .authorized: 1
        case .paid: 2
        case .partiallyRefunded, .refunded: 3
        case .disputed: 4
        case .chargedBack: 5
        }
    }
}

/// Exact sums by currency: 128 bits hold the sum of any number of 64-bit amounts.
package struct Totals: Sendable, Equatable {
    private var minor: [Currency: Int128] = [:]

    package init() {}

    package mutating func add(_ amount: Money) {
        minor[amount.currency, default: 0] += Int128(amount.minor)
    }

    /// The currencies, sorted, with their sums.
    package var all: [(currency: Currency, minor: Int128)] {
        minor.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    package subscript(currency: Currency) -> Int128 { minor[currency] ?? 0 }

    /// `42.00 MYR`, for a sum of any size.
    package static func text(_ minor: Int128, _ currency: Currency) -> String {
        var digits = String(minor.magnitude)
        let exponent = currency.exponent
        if digits.count <= exponent {
            digits = String(repeating: "0", count: exponent + 1 - digits.count) + digits
        }
        let whole = digits.dropLast(exponent)
        let fraction = exponent > 0 ? ".\(digits.suffix(exponent))" : ""
        return "\(minor < 0 ? "-" : "")\(whole)\(fraction) \(currency.code)"
    }
}
