/// One payment attempt, identified by the provider's transaction id, with its captures.
public struct Attempt: Sendable, Equatable, Joinable {
    /// The provider's transaction id. Empty for reports that do not name their attempt.
    public let transaction: String
    /// Every status that was reported, with its amounts.
    public internal(set) var reports = Reports<AttemptStatus>()
    /// The captures of this attempt, sorted by id.
    public internal(set) var captures: [Capture] = []
    /// Payment method in the provider's word; of several the least by bytes.
    public internal(set) var method: String?
    /// The agreement that the attempt is an instalment of; of several the least by bytes.
    public internal(set) var agreement: String?

    init(transaction: String) {
        self.transaction = transaction
    }

    /// Same as ``transaction``.
    public var id: String { transaction }

    /// The status, derived from reports and captures. Nil while only unsuccessful captures have
    /// named this transaction.
    ///
    /// | captures | reported | status |
    /// |---|---|---|
    /// | any | `unconfirmed`, and no confirmed success | as without captures: at least `pending` |
    /// | one succeeded | anything | `paid`: the money was captured |
    /// | some, none succeeded | paid | `authorized`: captures outrank the report |
    /// | some, none succeeded | anything else | the highest reported |
    /// | none | failed or expired beside authorised | the highest of the others: no plain failure |
    /// | none | anything else | the highest reported |
    ///
    /// A failed try counts as `failed` until something higher is reported.
    public var status: AttemptStatus? {
        if captures.isEmpty || isUnconfirmed { return reportedStatus }
        if captures.contains(where: { $0.status == .succeeded }) { return .paid }
        return reportedStatus == .paid ? .authorized : reportedStatus
    }

    /// The highest reported status, except that `failed` and `expired` do not outrank `authorized`:
    /// a failed and an authorised try may share an id, and a success may be reported after the
    /// expiry. An authorised attempt that was canceled was nearly always released.
    private var reportedStatus: AttemptStatus? {
        guard let status = reports.status, status != .paid, reports.contains(.authorized) else {
            switch reports.status {
            case .tryFailed: return .failed
            case .unconfirmed: return .pending
            default: return reports.status
            }
        }
        return reports.contains(.canceled) ? .canceled : .authorized
    }

    /// The amount, depending on the captures that succeeded:
    ///
    /// | captures that succeeded | source |
    /// |---|---|
    /// | some, each with an amount | their sum |
    /// | some, not all with an amount | that of the highest reported status with an amount |
    /// | the same, and no report has an amount | the sum of the captures with an amount |
    /// | none | that of the highest reported status with an amount |
    ///
    /// A capture without an amount takes all that was authorised.
    public var amount: Money? {
        if captures.isEmpty { return reportedAmount }
        let captured = captures.filter { $0.status == .succeeded }
        let sum = captured.total(of: \.amount)
        let isComplete = captured.allSatisfy { $0.amount != nil }
        return isComplete ? sum ?? reportedAmount : reportedAmount ?? sum
    }

    /// The amount of the highest status that has one. For an attempt that is authorised or paid,
    /// the amounts of failed, canceled and expired tries do not count.
    private var reportedAmount: Money? {
        guard reports.entries.count > 1, isLive else { return reports.amount }
        return reports.amount(of: .paid) ?? reports.amount(of: .authorized)
            ?? reports.amount(of: .pending)
    }

    /// Whether the status is `authorized` or `paid`.
    var isLive: Bool { status == .authorized || status == .paid }

    /// The authorised amount: the one reported with `authorized`, else with `paid`, else the
    /// captured sum. Nil while the attempt is only pending or no amount was reported.
    public var authorized: Money? {
        if let amount = reports.amount(of: .authorized) ?? reports.amount(of: .paid) {
            return amount
        }
        return status == .paid ? amount : nil
    }

    /// Whether the authorised amount was reported, rather than derived from captures.
    var hasReportedAuthorization: Bool {
        reports.amount(of: .authorized) != nil || reports.amount(of: .paid) != nil
    }

    /// Whether a capture succeeded.
    var isPaidByCaptures: Bool {
        captures.contains { $0.status == .succeeded }
    }

    /// Whether a capture failed and none succeeded.
    var isCaptureFailed: Bool {
        !isPaidByCaptures && captures.contains { $0.status == .failed }
    }

    /// Whether the attempt was reported both as succeeded and as failed, in any order:
    ///
    /// | reported | with `paid`, `authorized`, `unconfirmed` or a capture that succeeded |
    /// |---|---|
    /// | `failed`, `expired` | contradicted |
    /// | `try_failed` | not contradicted: another try of the same attempt may succeed |
    /// | `canceled` | contradicted, unless a reversal explains it |
    /// | one capture succeeded and failed | contradicted in any case |
    ///
    /// - Parameter isUndone: Whether a reversal released or returned all of the attempt.
    func isContradicted(isUndone: Bool) -> Bool {
        let isSuccess =
            status == .paid || reports.contains(.paid) || reports.contains(.authorized)
            || reports.contains(.unconfirmed)
        let isNothing =
            reports.contains(.failed) || reports.contains(.expired)
            || (reports.contains(.canceled) && !isUndone)
        return isSuccess && isNothing || captures.contains { $0.reports.isContradicted }
    }

    var amountsDiffer: Bool {
        reports.amountsDiffer || unconfirmedDiffers
            || captures.contains { $0.reports.amountsDiffer }
    }

    /// Whether a success was reported that no report confirms.
    package var isUnconfirmed: Bool {
        reports.contains(.unconfirmed) && !reports.contains(.authorized)
            && !reports.contains(.paid)
    }

    /// Whether another amount was confirmed than reported before. The confirmed one counts.
    var unconfirmedDiffers: Bool {
        guard let amounts = reports.claims(of: .unconfirmed),
            let confirmed = reports.amount(of: .paid) ?? reports.amount(of: .authorized)
        else { return false }
        return !amounts.isExactly(confirmed)
    }

    /// Whether there are different amounts for the authorisation, the payment or a successful
    /// capture.
    var moneyDiffers: Bool {
        reports.amountsDiffer(for: .paid) || reports.amountsDiffer(for: .authorized)
            || captures.contains { $0.reports.amountsDiffer(for: .succeeded) }
    }

    /// Whether every amount is in `currency`, except those of failed, canceled and expired tries
    /// and of failed captures.
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
    /// Whether both `succeeded` and `failed` were reported, in any order.
    var isContradicted: Bool { contains(.succeeded) && contains(.failed) }
}

/// The reported status of one payment attempt, in rising order.
///
/// `failed` is above `canceled` and `expired` because it is the most definite of the three. `paid`
/// is highest, so that a late failure never undoes a payment.
public enum AttemptStatus: UInt8, RisingStatus {
    case pending
    /// One try of the attempt failed, and the provider lets the customer try again under the same
    /// id. It is above `pending`, which is usually the earlier report.
    case tryFailed
    /// A success that no proof confirms yet. It counts as `pending`.
    case unconfirmed
    case authorized
    case expired
    case canceled
    case failed
    case paid

    /// Whether the attempt ended without a payment.
    package var isUnpaidEnd: Bool { [.tryFailed, .expired, .canceled, .failed].contains(self) }

    public var name: String {
        switch self {
        case .pending: "pending"
        case .tryFailed: "try_failed"
        case .unconfirmed: "unconfirmed"
        case .authorized: "authorized"
        case .expired: "expired"
        case .canceled: "canceled"
        case .failed: "failed"
        case .paid: "paid"
        }
    }
}

/// A capture of an authorised attempt, identified by the provider's capture id.
public struct Capture: Sendable, Equatable, Joinable {
    /// The provider's id of the capture.
    public let id: String
    /// Every status that was reported, with its amounts.
    public internal(set) var reports: Reports<ActionStatus>

    /// The highest reported status.
    public var status: ActionStatus? { reports.status }
    /// The amount of the highest status that has one; of several claims the least.
    public var amount: Money? { reports.amount }

    /// Whether it was reported as pending, and not as succeeded since.
    package var isPending: Bool { reports.contains(.pending) && !reports.contains(.succeeded) }

    mutating func join(_ other: Capture) {
        reports.join(other.reports)
    }
}
