/// The effects of an order's successful reversals.
///
/// | a reversal names | which is | effect |
/// |---|---|---|
/// | an attempt | paid without captures | money was returned: the amount, else all of it |
/// | an attempt | paid by captures | the rest is released; if more: ambiguous |
/// | an attempt | anything else reported | it is canceled; reduced if in part |
/// | a capture | – | money was returned |
/// | a refund | succeeded | that refund is reversed; if more than its amount: ambiguous |
/// | a refund | anything else | none: the refund never took place |
/// | a dispute | – | the merchant has the money again |
/// | no dispute (kind dispute) | one is open or lost | one of these is settled |
/// | no dispute (kind dispute) | none is | none: the dispute is not reported yet |
/// | an authorisation | captured in part | none: the rest is released |
/// | an authorisation | not reported, as nothing else is | the order is canceled |
/// | an authorisation | anything else | it is canceled |
/// | no refund (kind refund) | one has this amount | that refund is reversed |
/// | no refund (kind refund) | none has this amount | ambiguous |
/// | nothing known | the order has paid attempts | as if it named them |
/// | nothing known | else authorised ones | as if it named them |
/// | nothing known | else none | money of an unknown payment was returned |
/// | nothing known | several, and the effect depends on which of them it undid | ambiguous |
/// | an attempt or nothing known | captures of unknown payments (`CapturePlaces`) | ambiguous |
///
/// A raise adds to the authorised amount of the named attempt, or of the order's only one.
/// Reversals and raises that failed or are pending are listed and change nothing.
struct UndoneOperations {
    /// Money that was returned in addition to the refunds; nil for an unknown amount.
    private(set) var returned: [Money?] = []
    /// Reversed refunds; nil for an unknown amount.
    private(set) var restored: [Money?] = []
    /// Reversed sum of a refund, by its index.
    private var restoredOf: [Int: Int64] = [:]
    /// Released sum of uncaptured attempts, by their index; nil for all.
    private var released: [Int: Int64?] = [:]
    /// Indices of attempts whose captured money was returned in full.
    private var returnedAttempts: Set<Int> = []
    /// Amounts by which and to which authorisations were raised, by index of the attempt.
    private var raisedBy: [Int: Int64] = [:]
    private var raisedTo: [Int: Int64] = [:]
    /// Indices of disputes whose money came back.
    private var settledDisputes: Set<Int> = []
    /// Whether it is unclear what was reversed or whether money was returned.
    private(set) var isAmbiguous = false
    private let areCapturesLoose: Bool

    /// Whether an authorisation was released that no notification has reported yet.
    private(set) var releasesUnknown = false

    var isNothing: Bool { returned.isEmpty && restored.isEmpty }

    /// - Parameter areCapturesLoose: Whether captures may belong to any of several attempts, so
    ///   that the uncaptured rest of each is unknown.
    init(_ order: Order, areCapturesLoose: Bool) {
        self.areCapturesLoose = areCapturesLoose
        let succeeded = order.reversals.filter { $0.status == .succeeded }
        // Raises come first, because the authorised amount decides the effect of a reversal.
        // Disputes come last, because reversals that name one settle it before the others choose.
        for reversal in succeeded where reversal.kind.isRaise { raise(reversal, order) }
        var chargebackReversals: [String?] = []
        for reversal in succeeded {
            switch reversal.kind {
            case .dispute: chargebackReversals.append(reversal.transaction)
            case .refund: restoreRefund(reversal, order)
            case .operation:
                if let id = reversal.transaction, order.disputes.index(id: id) != nil {
                    chargebackReversals.append(id)
                } else {
                    undo(reversal, order)
                }
            case .authorization: releaseAuthorization(reversal, order)
            case .increase, .total: break
            }
        }
        settleDisputes(chargebackReversals, order)
    }

    /// Returns the attempt's status after releases.
    func status(of attempt: Attempt, at place: Int) -> AttemptStatus? {
        guard let status = attempt.status, status != .paid, let sum = released[place] else {
            return attempt.status
        }
        guard let sum, let authorized = raised(attempt, at: place), sum < authorized.minor else {
            return max(status, .canceled)
        }
        return status
    }

    /// Returns the rest of the attempt's authorisation after raises and releases.
    func authorized(of attempt: Attempt, at place: Int) -> Money? {
        let raised = raised(attempt, at: place)
        guard var money = raised, attempt.status != .paid,
            case .some(.some(let sum)) = released[place], sum < money.minor
        else { return raised }
        money.minor -= sum
        return money
    }

    /// Returns the attempt's authorised amount after raises, without subtracting releases.
    func raised(_ attempt: Attempt, at place: Int?) -> Money? {
        guard var money = attempt.authorized, let place else { return attempt.authorized }
        money.minor = max(money.minor.adding(raisedBy[place] ?? 0), raisedTo[place] ?? 0)
        return money
    }

    func isRaised(at place: Int) -> Bool { raisedBy[place] != nil || raisedTo[place] != nil }

    /// Whether reversals released or returned all of the attempt.
    func isWhollyUndone(at place: Int) -> Bool {
        returnedAttempts.contains(place) || released[place] != nil
    }

    /// Returns the dispute's status, `won` if a reversal settled it.
    func status(of dispute: Dispute, at place: Int) -> DisputeStatus? {
        settledDisputes.contains(place) ? .won : dispute.status
    }

    // MARK: The rows of the table

    private mutating func undo(_ reversal: Reversal, _ order: Order) {
        guard let id = reversal.transaction else { return undoPayment(reversal, order) }
        if let place = order.attempts.index(id: id) {
            undoAttempt(at: place, reversal, order)
        } else if let capture = order.capture(id) {
            returned.append(reversal.amount ?? capture.amount)
        } else if order.refunds.index(id: id) != nil {
            restoreRefund(reversal, order)
        } else if order.reversals.index(id: id) != nil
            || order.unclearRefunds.contains(id: id)
        {
            isAmbiguous = true
        } else {
            undoPayment(reversal, order)
        }
    }

    private mutating func undoAttempt(at place: Int, _ reversal: Reversal, _ order: Order) {
        let attempt = order.attempts[place]
        guard let status = attempt.status else { return returned.append(reversal.amount) }
        guard !areCapturesLoose else { return isAmbiguous = true }
        guard status == .paid else { return release(reversal.amount, of: place) }
        guard attempt.isPaidByCaptures else {
            if reversal.amount == nil || reversal.amount == attempt.amount {
                returnedAttempts.insert(place)
            }
            return returned.append(reversal.amount ?? attempt.amount)
        }
        guard let amount = reversal.amount, let authorized = order.authorized(by: attempt, self),
            let captured = attempt.amount, amount.currency == authorized.currency,
            amount.currency == captured.currency,
            amount.minor <= authorized.minor - captured.minor
        else {
            isAmbiguous = true
            return
        }
    }

    private mutating func undoPayment(_ reversal: Reversal, _ order: Order) {
        guard !areCapturesLoose else { return isAmbiguous = true }
        let places = order.attempts.indices
        let paid = order.attempts(.paid)
        let authorized = order.attempts(.authorized)
        // Either money was returned or an authorisation was released; it is unknown which.
        if !paid.isEmpty, authorized.contains(where: { !order.attempts[$0].transaction.isEmpty }) {
            return isAmbiguous = true
        }
        if paid.count == 1 { return undoAttempt(at: paid[0], reversal, order) }
        if paid.count > 1 {
            let hasCaptures = paid.contains { order.attempts[$0].isPaidByCaptures }
            isAmbiguous = isAmbiguous || hasCaptures || reversal.amount == nil
            return returned.append(reversal.amount)
        }
        guard !authorized.isEmpty else {
            let reported = places.filter { order.attempts[$0].status != nil }
            for place in reported { release(reversal.amount, of: place) }
            if reported.isEmpty { returned.append(reversal.amount) }
            return
        }
        releaseOpen(reversal.amount, order)
    }

    /// Releases the authorised attempt and any pending ones.
    private mutating func releaseOpen(_ amount: Money?, _ order: Order) {
        // One of several is released; it is unknown which.
        guard order.attempts(.authorized).count <= 1 else { return isAmbiguous = true }
        for place in order.attempts.indices where order.attempts[place].isReleasable {
            release(amount, of: place)
        }
    }

    private mutating func releaseAuthorization(_ reversal: Reversal, _ order: Order) {
        if let place = reversal.transaction.flatMap({ order.attempts.index(id: $0) }) {
            if order.attempts[place].status != .paid { release(reversal.amount, of: place) }
        } else if !order.attempts.contains(where: { $0.status == .paid }) {
            releaseOpen(reversal.amount, order)
            releasesUnknown = true
        }
    }

    private mutating func release(_ amount: Money?, of place: Int) {
        guard let amount else {
            released[place] = .some(nil)
            return
        }
        guard let before = released[place] else {
            released[place] = amount.minor
            return
        }
        released[place] = before.map { $0.adding(amount.minor) }
    }

    private mutating func restoreRefund(_ reversal: Reversal, _ order: Order) {
        let succeeded = order.refunds.indices.filter { order.refunds[$0].status == .succeeded }
        if let id = reversal.transaction, let place = order.refunds.index(id: id) {
            guard order.refunds[place].status == .succeeded else { return }
            restore(Self.lesser(reversal.amount, order.refunds[place].amount), of: place, order)
        } else if let amount = reversal.amount {
            let place = succeeded.first {
                order.refunds[$0].amount == amount && restoredOf[$0] == nil
            }
            // Without any refund, the reversed one is not reported yet. The two will cancel out.
            guard let place else { return isAmbiguous = isAmbiguous || !succeeded.isEmpty }
            restore(amount, of: place, order)
        } else if succeeded.count == 1 {
            restore(order.refunds[succeeded[0]].amount, of: succeeded[0], order)
        } else {
            isAmbiguous = isAmbiguous || !succeeded.isEmpty
        }
    }

    /// Records a reversed sum of a refund. It cannot exceed the refund's amount.
    private mutating func restore(_ amount: Money?, of place: Int, _ order: Order) {
        let sum = (restoredOf[place] ?? 0).adding(amount?.minor ?? 0)
        if let refunded = order.refunds[place].amount, refunded.minor < sum {
            isAmbiguous = true
            return
        }
        restoredOf[place] = sum
        restored.append(amount)
    }

    private static func lesser(_ left: Money?, _ right: Money?) -> Money? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    private mutating func raise(_ raise: Reversal, _ order: Order) {
        let held = order.attempts.indices.filter { order.attempts[$0].authorized != nil }
        let named = held.filter { !order.attempts[$0].transaction.isEmpty }
        let possible = named.isEmpty ? held : named
        let place =
            raise.transaction.flatMap { order.attempts.index(id: $0) }
            ?? (possible.count == 1 ? possible[0] : nil)
        guard let place, let amount = raise.amount,
            order.attempts[place].authorized.map({ $0.currency == amount.currency }) ?? false
        else { return }
        if raise.kind == .total {
            raisedTo[place] = max(raisedTo[place] ?? 0, amount.minor)
        } else {
            raisedBy[place] = (raisedBy[place] ?? 0).adding(amount.minor)
        }
    }

    /// Each reversal of a chargeback settles one dispute: the one that it names, else one of the
    /// payment that it names, else any. Two chargebacks and one reversal leave one dispute.
    private mutating func settleDisputes(_ named: [String?], _ order: Order) {
        var unnamed: [String?] = []
        for id in named {
            if let place = id.flatMap({ order.disputes.index(id: $0) }) {
                settledDisputes.insert(place)
            } else {
                unnamed.append(id)
            }
        }
        // Reversals that name a payment choose first, and lost disputes are settled before open
        // ones.
        let owners = unnamed.map { order.owner(of: $0) }
        for owner in owners.filter({ $0 != nil }) + owners.filter({ $0 == nil }) {
            let left = order.disputes.indices.filter {
                let status = order.disputes[$0].status
                return !settledDisputes.contains($0) && (status == .lost || status == .open)
            }.filter { place in
                let disputed = order.owner(of: order.disputes[place].transaction)
                return owner == nil || disputed == nil || disputed == owner
            }
            let choice =
                left.first { order.disputes[$0].status == .lost && isOwn($0, owner, order) }
                ?? left.first { order.disputes[$0].status == .lost } ?? left.first
            if let choice { settledDisputes.insert(choice) }
        }
    }

    private func isOwn(_ dispute: Int, _ owner: Int?, _ order: Order) -> Bool {
        owner != nil && order.owner(of: order.disputes[dispute].transaction) == owner
    }
}

extension Attempt {
    /// Whether a release applies: the attempt is open, or canceled after it was authorised, which
    /// the release explains.
    fileprivate var isReleasable: Bool {
        status == .authorized || status == .pending
            || (status == .canceled && reports.contains(.authorized))
    }
}

extension Order {
    /// The indices of the attempts with `status`: the named ones if there are any, because an
    /// attempt without a transaction id may be one of them.
    fileprivate func attempts(_ status: AttemptStatus) -> [Int] {
        let all = attempts.indices.filter { attempts[$0].status == status }
        let named = all.filter { !attempts[$0].transaction.isEmpty }
        return named.isEmpty ? all : named
    }

    /// The capture with this id, of any attempt.
    func capture(_ id: String) -> Capture? {
        for attempt in attempts {
            if let place = attempt.captures.index(id: id) { return attempt.captures[place] }
        }
        return nil
    }

    /// The index of the attempt with this id or with a capture with this id; nil if there is none.
    fileprivate func owner(of id: String?) -> Int? {
        guard let id else { return nil }
        return attempts.index(id: id)
            ?? attempts.firstIndex { $0.captures.index(id: id) != nil }
    }

    /// The authorisation that an attempt's captures draw on: its own, or the order's if they were
    /// reported without a transaction id.
    func authorized(by attempt: Attempt, _ undone: UndoneOperations) -> Money? {
        let place = attempts.index(id: attempt.transaction)
        guard attempt.transaction.isEmpty, attempt.isPaidByCaptures else {
            return undone.raised(attempt, at: place)
        }
        let named = attempts.indices.filter {
            !attempts[$0].transaction.isEmpty && attempts[$0].status == .authorized
        }
        return named.isEmpty
            ? undone.raised(attempt, at: place)
            : named.total { undone.raised(attempts[$0], at: $0) }
    }
}
