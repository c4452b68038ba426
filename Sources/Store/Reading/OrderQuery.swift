import Payments

/// A query for orders: every condition must hold.
package struct OrderQuery: Sendable, Equatable {
    package var endpoint: String?
    /// Any of these statuses.
    package var statuses: [OrderStatus] = []
    /// A `Flag`, or `overdue`.
    package var flag: String?
    /// When the order was first reported: from, inclusive, and to, exclusive.
    package var from: Timestamp?
    package var to: Timestamp?
    /// In minor units, both inclusive.
    package var amountMin: Int64?
    package var amountMax: Int64?
    package var currency: String?
    /// A text that leads to the order: its reference, an alias, or any of the provider's ids, which
    /// may follow a `~`.
    /// ``finding(_:)`` replaces it.
    package var reference: String?
    /// Only these orders.
    package var names: [OrderKey]?
    /// The whole reference or last transaction, ignoring the case of ASCII letters.
    package var folded: String?
    /// A part of the reference or of the last transaction, ignoring case.
    package var text: String?
    /// Only orders whose first sequence is below it: those after a page.
    package var cursor: UInt64?

    package init() {}

    /// The query with the orders that `reference` leads to, in place of it.
    ///
    /// Where it leads to none, case is ignored: people type ids from a bank's letter or read them
    /// over the telephone. Stores find other ids than the last transaction by a hash, so of these
    /// only the spellings in capital or in small letters are tried.
    ///
    /// - Parameter find: The orders that a text leads to.
    package func finding<Failure: Error>(
        _ find: (String) async throws(Failure) -> [OrderView]
    ) async throws(Failure) -> OrderQuery {
        guard let reference else { return self }
        var query = self
        query.reference = nil
        let id = OrderName(endpoint: "", reference: reference).providerID
        let texts = [reference] + (id.map { [$0] } ?? [])
        for text in texts + texts.flatMap({ [$0.asciiUppercased, $0.asciiLowercased] }) {
            let found = try await find(text)
            if !found.isEmpty {
                query.names = found.map(\.key)
                return query
            }
        }
        query.folded = id ?? reference
        return query
    }
}

extension String {
    fileprivate var asciiUppercased: String { mapped(from: "a"..."z") { $0 - 0x20 } }
    fileprivate var asciiLowercased: String { mapped(from: "A"..."Z") { $0 + 0x20 } }

    private func mapped(
        from letters: ClosedRange<Unicode.Scalar>, _ change: (UInt8) -> UInt8
    ) -> String {
        let range = UInt8(ascii: letters.lowerBound)...UInt8(ascii: letters.upperBound)
        return String(decoding: utf8.map { range.contains($0) ? change($0) : $0 }, as: UTF8.self)
    }
}

/// An expected order that has expired without a final status. It depends on the clock, so it is not
/// stored with the order but computed for each query.
package enum Overdue {
    /// The flag, in addition to those of `Flag`.
    package static let flag = "overdue"

    /// The statuses that are not final.
    package static let open: [OrderStatus] = [.pending, .authorized]

    package static func isOverdue(
        _ status: OrderStatus, _ expires: Timestamp?, now: Timestamp
    ) -> Bool {
        guard let expires else { return false }
        return expires < now && open.contains(status)
    }
}
