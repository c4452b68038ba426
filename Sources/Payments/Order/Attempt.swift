/// One attempt to pay, by the provider's transaction id, with its captures.
package struct Attempt: Sendable, Equatable, Joinable {
    /// The provider's transaction id. Empty for what a notification said of an attempt without
    /// naming it.
    package let transaction: String
    package internal(set) var reports = Reports<AttemptStatus>()
    package internal(set) var captures: [Capture] = []
    /// How the customer paid, in the provider's word; of several the least by bytes.
    package internal(set) var method: String?
    /// The agreement of which it is an instalment; of several the least by bytes.
    package internal(set) var agreement: String?

    init(transaction: String) {
        self.transaction = transaction
    }

    package var id: String { transaction }

    /// Nil while nothing but captures without success has named this transaction.
    ///
    /// | captures | reported | status |
    /// |---|---|---|
    /// | one succeeded | anything | `paid`: the money was taken |
    /// | some, none succeeded | paid | `authorized`: what a capture says outranks it |
    /// | some, none succeeded | anything else | the highest that was reported |
    /// | none | failed or expired beside authorised | the highest of the others: no plain failure |
    /// | none | anything else | the highest that was reported |
    package var status: AttemptStatus? {
        if captures.isEmpty { return reportedStatus }
        if captures.contains(where: { $0.status == .succeeded }) { return .paid }
        return reportedStatus == .paid ? .authorized : reportedStatus
    }

    /// A try that failed and one that was authorised may have one id, and a success may come after
    /// the time was over. What was authorised and is canceled was released, nearly always.
    private var reportedStatus: AttemptStatus? {
        guard let status = reports.status, status != .paid, reports.contains(.authorized) else {
            return reports.status
        }
        return reports.contains(.canceled) ? .canceled : .authorized
    }

    /// The amount, from the first of these that has one:
    ///
    /// | captures that succeeded | source |
    /// |---|---|
    /// | some, each with its amount | their sum |
    /// | some, not each with its amount | the report with the highest status that names one |
    /// | the same, and no report names one | the sum of the captures that do |
    /// | none | the report with the highest status that names one |
    ///
    /// A capture that names no amount takes what was authorised.
    package var amount: Money? {
        if captures.isEmpty { return reportedAmount }
        let captured = captures.filter { $0.status == .succeeded }
        let sum = captured.total(of: \.amount)
        let isComplete = captured.allSatisfy { $0.amount != nil }
        return isComplete ? sum ?? reportedAmount : reportedAmount ?? sum
    }

    /// The amount of the highest report that has one. Beside an attempt that was authorised or
    /// paid, the amounts of tries that came to nothing do not count.
    private var reportedAmount: Money? {
        guard reports.status.map({ $0 > .authorized }) ?? false, isLive else {
            return reports.amount
        }
        return reports.amount(of: .paid) ?? reports.amount(of: .authorized)
            ?? reports.amount(of: .pending)
    }

    /// Whether it is authorised or paid.
    var isLive: Bool { status == .authorized || status == .paid }

    /// What was set aside, or taken at once: the report of `authorized`, else that of `paid`, else
    /// what was captured. Nil while the attempt is only pending, and when nobody said how much.
    package var authorized: Money? {
        if let amount = reports.amount(of: .authorized) ?? reports.amount(of: .paid) {
            return amount
        }
        return status == .paid ? amount : nil
    }

    /// Whether the authorised amount was reported; otherwise it only follows from the captures.
    var tellsAuthorized: Bool {
        reports.amount(of: .authorized) != nil || reports.amount(of: .paid) != nil
    }

    /// True when the amount is the sum of captures.
    var isPaidByCaptures: Bool {
        captures.contains { $0.status == .succeeded }
    }

    /// True when a capture failed and none succeeded.
    var isCaptureFailed: Bool {
        !isPaidByCaptures && captures.contains { $0.status == .failed }
    }

    /// Reported as succeeded and as come to nothing, in whatever order:
    ///
    /// | reported | beside `paid`, `authorized` or a capture that succeeded |
    /// |---|---|
    /// | `failed`, `expired` | contradicted |
    /// | `canceled` | contradicted, unless a reversal tells how it was undone |
    /// | a capture succeeded and failed | contradicted, whatever it is beside |
    ///
    /// - Parameter isUndone: A reversal says that all of it was released or went back.
    func isContradicted(isUndone: Bool) -> Bool {
        let isSuccess =
            status == .paid || reports.contains(.paid) || reports.contains(.authorized)
        let isNothing =
            reports.contains(.failed) || reports.contains(.expired)
            || (reports.contains(.canceled) && !isUndone)
        return isSuccess && isNothing || captures.contains { $0.reports.isContradicted }
    }

    var amountsDiffer: Bool {
        reports.amountsDiffer || captures.contains { $0.reports.amountsDiffer }
    }

    /// True when the amounts differ that say how much was set aside or taken.
    var moneyDiffers: Bool {
        reports.amountsDiffer(for: .paid) || reports.amountsDiffer(for: .authorized)
            || captures.contains { $0.reports.amountsDiffer(for: .succeeded) }
    }

    /// True when every amount of the attempt but those of tries that came to nothing, and every
    /// amount of captures that did not fail, is in `currency`.
    func isAll(in currency: Currency) -> Bool {
        reports.entries.allSatisfy {
            $0.status.isUnpaidEnd || $0.amounts?.areAll(in: currency) ?? true
        }
            && captures.allSatisfy {
                $0.status == .failed || $0.reports.amountsAreAll(in: currency)
            }
    }

    mutating func join(_ other: Attempt) {
        reports.join(other.reports)
        captures.join(contentsOf: other.captures)
        method = lesser(method, other.method)
        agreement = lesser(agreement, other.agreement)
    }
}

extension Reports<ActionStatus> {
    /// Reported succeeded and failed, in whatever order.
    var isContradicted: Bool { contains(.succeeded) && contains(.failed) }
}

/// What was reported of one attempt to pay, in rising order.
///
/// `failed` is above `canceled` and `expired` because it is the most definite of the three, and
/// `paid` above all: a late failure never undoes a payment.
package enum AttemptStatus: UInt8, RisingStatus {
    case pending
    case authorized
    case expired
    case canceled
    case failed
    case paid

    /// Whether the attempt came to nothing.
    package var isUnpaidEnd: Bool { [.expired, .canceled, .failed].contains(self) }

    package var name: String {
        switch self {
        case .pending: "pending"
        case .authorized: "authorized"
        case .expired: "expired"
        case .canceled: "canceled"
        case .failed: "failed"
        case .paid: "paid"
        }
    }
}

/// A capture of an authorised attempt, by the provider's capture id.
package struct Capture: Sendable, Equatable, Joinable {
    package let id: String
    package internal(set) var reports: Reports<ActionStatus>

    package var status: ActionStatus? { reports.status }
    package var amount: Money? { reports.amount }

    mutating func join(_ other: Capture) {
        reports.join(other.reports)
    }
}
