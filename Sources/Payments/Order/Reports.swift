/// All that was reported of one attempt, capture, refund or dispute: at most one entry a status,
/// rising.
///
/// Joining is the union of the statuses and of their amounts. It is commutative,
/// associative and idempotent, and that is why the order of arrival cannot matter.
package struct Reports<Status: RisingStatus>: Sendable, Hashable {
    package private(set) var entries: [Report<Status>]

    package init() {
        entries = []
    }

    package init(_ status: Status, _ amount: Money?, reason: Reason? = nil) {
        entries = [
            Report(status: status, amounts: amount.map(AmountClaims.init), reason: reason)
        ]
    }

    /// Nil unless the statuses rise.
    init?(rising entries: [Report<Status>]) {
        for index in entries.indices.dropFirst()
        where entries[index - 1].status >= entries[index].status {
            return nil
        }
        self.entries = entries
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// The status that counts: the highest.
    package var status: Status? { entries.isEmpty ? nil : entries[entries.endIndex - 1].status }

    package func contains(_ status: Status) -> Bool {
        index(of: status) != nil
    }

    /// The amount of the highest status that has one. Of several claims for that status the least.
    package var amount: Money? {
        for index in entries.indices.reversed() {
            if let amount = entries[index].amounts?.lowest { return amount }
        }
        return nil
    }

    /// The least amount that was reported with `status`.
    package func amount(of status: Status) -> Money? {
        index(of: status).flatMap { entries[$0].amounts?.lowest }
    }

    /// All amounts that were reported with `status`.
    package func claims(of status: Status) -> AmountClaims? {
        index(of: status).flatMap { entries[$0].amounts }
    }

    /// True when `status` was reported with several amounts.
    func amountsDiffer(for status: Status) -> Bool {
        index(of: status).map { entries[$0].amounts?.isOneAmount == false } ?? false
    }

    /// By its place: the rules ask often, and to take a report out of the array is to copy it.
    private func index(of status: Status) -> Int? {
        entries.indices.first { entries[$0].status == status }
    }

    /// Why it has the status that counts, where somebody said so.
    package var reason: Reason? { entries.last?.reason }

    /// True when one status was reported with two amounts.
    package var amountsDiffer: Bool {
        entries.indices.contains { entries[$0].amounts?.isOneAmount == false }
    }

    /// True when every amount that was reported is in `currency`.
    package func amountsAreAll(in currency: Currency) -> Bool {
        entries.allSatisfy { report in
            report.amounts?.areAll(in: currency) ?? true
        }
    }

    /// True when every amount that was reported is `amount`.
    package func amountsAreAll(_ amount: Money) -> Bool {
        entries.allSatisfy { $0.amounts?.isExactly(amount) ?? true }
    }

    mutating func join(_ other: Reports) {
        for report in other.entries { join(report) }
    }

    private mutating func join(_ report: Report<Status>) {
        let index = entries.firstIndex { $0.status >= report.status } ?? entries.endIndex
        guard index < entries.endIndex, entries[index].status == report.status else {
            entries.insert(report, at: index)
            return
        }
        entries[index].reason = Reason.lesser(entries[index].reason, report.reason)
        guard let amounts = report.amounts else { return }
        if entries[index].amounts == nil {
            entries[index].amounts = amounts
        } else {
            entries[index].amounts?.join(amounts)
        }
    }
}

/// That one status was reported, with which amounts and for which reason.
package struct Report<Status: RisingStatus>: Sendable, Hashable {
    package let status: Status
    /// Nil when no report of this status has named an amount.
    package internal(set) var amounts: AmountClaims?
    /// Why, where a report of this status said so.
    package internal(set) var reason: Reason?

    init(status: Status, amounts: AmountClaims?, reason: Reason? = nil) {
        self.status = status
        self.amounts = amounts
        self.reason = reason
    }
}

/// Why something failed, by the provider's own result code and message.
package struct Reason: Sendable, Hashable {
    /// The provider's code, verbatim; empty when there is only a message.
    package let code: String
    /// The provider's words for people; empty when there are none.
    package let message: String

    /// Longest code and message that are kept, in bytes of UTF-8.
    package static let codeBytesMax = 64
    package static let messageBytesMax = 256

    /// Nil when the provider says neither. What is longer than the limits is cut at a character.
    package init?(code: String?, message: String?) {
        let code = Self.cut(code ?? "", to: Self.codeBytesMax)
        let message = Self.cut(message ?? "", to: Self.messageBytesMax)
        guard !code.isEmpty || !message.isEmpty else { return nil }
        self.code = code
        self.message = message
    }

    private static func cut(_ text: String, to bytesMax: Int) -> String {
        guard text.utf8.count > bytesMax else { return text }
        var kept = text.unicodeScalars.prefix(bytesMax)
        while String(kept).utf8.count > bytesMax { kept.removeLast() }
        return String(kept)
    }

    /// One of two, whichever came first: the lesser by the bytes of its code, then its message.
    static func lesser(_ left: Reason?, _ right: Reason?) -> Reason? {
        guard let left else { return right }
        guard let right else { return left }
        let codes = utf8Order(left.code, right.code)
        if codes != 0 { return codes < 0 ? left : right }
        return utf8Order(left.message, right.message) <= 0 ? left : right
    }
}

/// A status that only rises: of all the reports about one thing, the highest is what it is.
///
/// Providers resend for days and promise no order, so "the last report wins" would let a late retry
/// undo a payment. The raw value is the rank and is written to disk: it never changes.
package protocol RisingStatus: RawRepresentable, Comparable, CaseIterable, Hashable, Sendable
where RawValue == UInt8 {
    /// The word for this status in records and answers, in `snake_case`.
    var name: String { get }
}

extension RisingStatus {
    package static func < (lower: Self, higher: Self) -> Bool {
        lower.rawValue < higher.rawValue
    }

    /// The status that a record calls `name`, or nil when none of ours has that name.
    package init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }
}
