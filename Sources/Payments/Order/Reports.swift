/// The reports about one attempt, capture, refund, dispute or reversal: at most one entry per
/// status, in ascending order.
///
/// Joining is the union of the statuses and of their amounts. It is commutative, associative and
/// idempotent, so the order of arrival does not matter.
public struct Reports<Status: RisingStatus>: Sendable, Hashable {
    /// One entry for each reported status, in ascending order.
    public private(set) var entries: [Report<Status>]

    package init() {
        entries = []
    }

    package init(_ status: Status, _ amount: Money?, reason: Reason? = nil) {
        entries = [
            Report(status: status, amounts: amount.map(AmountClaims.init), reason: reason)
        ]
    }

    /// Returns nil unless the statuses are strictly ascending.
    init?(rising entries: [Report<Status>]) {
        for index in entries.indices.dropFirst()
        where entries[index - 1].status >= entries[index].status {
            return nil
        }
        self.entries = entries
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// The highest reported status, which is the one that counts.
    public var status: Status? { entries.isEmpty ? nil : entries[entries.endIndex - 1].status }

    /// Whether `status` was reported.
    public func contains(_ status: Status) -> Bool {
        index(of: status) != nil
    }

    /// The amount of the highest status with an amount. Of several claims for that status the
    /// least.
    public var amount: Money? {
        for index in entries.indices.reversed() {
            if let amount = entries[index].amounts?.lowest { return amount }
        }
        return nil
    }

    /// The least amount reported with `status`.
    public func amount(of status: Status) -> Money? {
        index(of: status).flatMap { entries[$0].amounts?.lowest }
    }

    /// All amounts reported with `status`.
    package func claims(of status: Status) -> AmountClaims? {
        index(of: status).flatMap { entries[$0].amounts }
    }

    /// Whether `status` was reported with different amounts.
    func amountsDiffer(for status: Status) -> Bool {
        index(of: status).map { entries[$0].amounts?.isOneAmount == false } ?? false
    }

    /// The index of a status. An index rather than the report, because the rules call this often
    /// and taking a report out of the array copies it.
    private func index(of status: Status) -> Int? {
        entries.indices.first { entries[$0].status == status }
    }

    /// The reason of the highest status, if one was reported.
    public var reason: Reason? { entries.last?.reason }

    /// Whether any status was reported with different amounts.
    package var amountsDiffer: Bool {
        entries.indices.contains { entries[$0].amounts?.isOneAmount == false }
    }

    /// Whether every reported amount is in `currency`.
    package func amountsAreAll(in currency: Currency) -> Bool {
        entries.allSatisfy { report in
            report.amounts?.areAll(in: currency) ?? true
        }
    }

    /// Whether every reported amount is `amount`.
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

/// One reported status with its amounts and reason.
public struct Report<Status: RisingStatus>: Sendable, Hashable {
    /// The reported status.
    public let status: Status
    /// Nil if no report of this status has an amount.
    public internal(set) var amounts: AmountClaims?
    /// The reason, if a report of this status has one.
    public internal(set) var reason: Reason?

    init(status: Status, amounts: AmountClaims?, reason: Reason? = nil) {
        self.status = status
        self.amounts = amounts
        self.reason = reason
    }
}

/// The reason of a failure: the provider's result code and message.
public struct Reason: Sendable, Hashable {
    /// The provider's code, verbatim; empty if there is only a message.
    public let code: String
    /// The provider's message for people; empty if there is none.
    public let message: String

    /// Maximum length of a code in bytes of UTF-8.
    public static let codeBytesMax = 64
    /// Maximum length of a message in bytes of UTF-8.
    public static let messageBytesMax = 256

    /// Returns nil if both are missing or empty. Longer texts are truncated at a character.
    public init?(code: String?, message: String?) {
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

    /// Returns the lesser of two by the bytes of the code, then of the message.
    static func lesser(_ left: Reason?, _ right: Reason?) -> Reason? {
        guard let left else { return right }
        guard let right else { return left }
        let codes = utf8Order(left.code, right.code)
        if codes != 0 { return codes < 0 ? left : right }
        return utf8Order(left.message, right.message) <= 0 ? left : right
    }
}

/// A status that only rises: the highest report about an operation is its status.
///
/// Providers retry for days and guarantee no order, so "the last report wins" would let a late
/// retry undo a payment. The raw value is the rank; it is written to disk and never changes.
public protocol RisingStatus: RawRepresentable, Comparable, CaseIterable, Hashable, Sendable
where RawValue == UInt8 {
    /// The name of this status in records and answers, in `snake_case`.
    var name: String { get }
}

extension RisingStatus {
    public static func < (lower: Self, higher: Self) -> Bool {
        lower.rawValue < higher.rawValue
    }
}
