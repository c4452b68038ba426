/// What the successful reversals of an order undo.
///
/// | a reversal names | and that is | it means |
/// |---|---|---|
/// | an attempt | paid without captures | money went back: the amount, else all of it |
/// | an attempt | paid by captures | the rest is released; more than that: ambiguous |
/// | an attempt | anything else that was reported | it is canceled; of a part: reduced |
/// | a capture | – | money went back |
/// | a refund | succeeded | that refund was taken back; more than it was: ambiguous |
/// | a refund | anything else | nothing: it never took place |
/// | a dispute | – | the merchant has the money again |
/// | no dispute, but is of one | disputed and not settled yet | one of these is settled |
/// | no dispute, but is of one | not disputed | nothing: that dispute is not told yet |
/// | an authorisation | captured in part | nothing: the rest is released |
/// | an authorisation | anything else | it is canceled |
/// | no refund, but is of one | of its amount | that refund was taken back |
/// | no refund, but is of one | of another amount than all | ambiguous |
/// | nothing known | the order has paid attempts | as if it named these |
/// | nothing known | else authorised ones | as if it named these |
/// | nothing known | else none | money went back of which no payment is known |
/// | nothing known | several, and the meaning depends on which of them it undid | ambiguous |
/// | an attempt or nothing known | captures of unknown payments (`CapturePlaces`) | ambiguous |
///
/// A raise adds to what the attempt that it names has set aside, else to the only one of the order.
/// Reversals and raises that failed or are pending are listed and change nothing.
struct UndoneOperations {
    /// Money that went back beside the refunds; nil for an unknown amount.
    private(set) var returned: [Money?] = []
    /// Refunds that were taken back; nil for an unknown amount.
    private(set) var restored: [Money?] = []
    /// How much of a refund was taken back, by its place.
    private var restoredOf: [Int: Int64] = [:]
    /// How much was released of attempts that took nothing, by their place; nil for all.
    private var released: [Int: Int64?] = [:]
    /// The places of attempts of which all that was taken went back.
    private var returnedAttempts: Set<Int> = []
    /// What was added to the authorisations of attempts, and to what they were raised, by place.
    private var raisedBy: [Int: Int64] = [:]
    private var raisedTo: [Int: Int64] = [:]
    /// The places of disputes whose money came back.
    private var settledDisputes: Set<Int> = []
    /// What was reversed, and whether money moved, is not clear.
    private(set) var isAmbiguous = false
    private let areCapturesLoose: Bool

    var isNothing: Bool { returned.isEmpty && restored.isEmpty }

    /// - Parameter areCapturesLoose: Captures may be of any of several attempts, so that what is
    ///   left to release of one is not known.
    init(_ order: Order, areCapturesLoose: Bool) {
        self.areCapturesLoose = areCapturesLoose
        let succeeded = order.reversals.filter { $0.status == .succeeded }
        // How much is set aside decides what a reversal means; which dispute is settled by name,
        // which of them are left for the others.
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

    /// The attempt's status, with what was released of it.
    func status(of attempt: Attempt, at place: Int) -> AttemptStatus? {
        guard let status = attempt.status, status != .paid, let sum = released[place] else {
            return attempt.status
        }
        guard let sum, let authorized = raised(attempt, at: place), sum < authorized.minor else {
            return max(status, .canceled)
        }
        return status
    }

    /// What is left of the authorisation of an attempt.
    func authorized(of attempt: Attempt, at place: Int) -> Money? {
        let raised = raised(attempt, at: place)
        guard var money = raised, attempt.status != .paid,
            case .some(.some(let sum)) = released[place], sum < money.minor
        else { return raised }
        money.minor -= sum
        return money
    }

    /// What an attempt set aside, with what was added to it, whatever was released since.
    func raised(_ attempt: Attempt, at place: Int?) -> Money? {
        guard var money = attempt.authorized, let place else { return attempt.authorized }
        money.minor = max(money.minor.adding(raisedBy[place] ?? 0), raisedTo[place] ?? 0)
        return money
    }

    func isRaised(at place: Int) -> Bool { raisedBy[place] != nil || raisedTo[place] != nil }

    /// Whether reversals tell that nothing is left of what the attempt set aside or took.
    func isWhollyUndone(at place: Int) -> Bool {
        returnedAttempts.contains(place) || released[place] != nil
    }

    /// The dispute's status, with what was settled of it.
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
        // Money went back, or an authorisation was released: nobody knows which of both.
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
            let told = places.filter { order.attempts[$0].status != nil }
            for place in told { release(reversal.amount, of: place) }
            if told.isEmpty { returned.append(reversal.amount) }
            return
        }
        releaseOpen(reversal.amount, order)
    }

    /// Releases what is authorised, and what is only pending beside it.
    private mutating func releaseOpen(_ amount: Money?, _ order: Order) {
        // One of several is released, and nobody knows which.
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
            // Without any refund, the one that it undoes is not told yet: together they are
            // nothing.
            guard let place else { return isAmbiguous = isAmbiguous || !succeeded.isEmpty }
            restore(amount, of: place, order)
        } else if succeeded.count == 1 {
            restore(order.refunds[succeeded[0]].amount, of: succeeded[0], order)
        } else {
            isAmbiguous = isAmbiguous || !succeeded.isEmpty
        }
    }

    /// No more is taken back of a refund than went back by it.
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
    /// payment that it names, else any. Of two chargebacks and one reversal, one is left.
    private mutating func settleDisputes(_ named: [String?], _ order: Order) {
        var unnamed: [String?] = []
        for id in named {
            if let place = id.flatMap({ order.disputes.index(id: $0) }) {
                settledDisputes.insert(place)
            } else {
                unnamed.append(id)
            }
        }
        // What names a payment chooses first, and what was lost is fetched back first.
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
    /// Open, or told as canceled after it was authorised: the release says why.
    fileprivate var isReleasable: Bool {
        status == .authorized || status == .pending
            || (status == .canceled && reports.contains(.authorized))
    }
}

extension Order {
    /// The places of the attempts with `status`. What has no transaction id may be one of those
    /// that have one.
    fileprivate func attempts(_ status: AttemptStatus) -> [Int] {
        let all = attempts.indices.filter { attempts[$0].status == status }
        let named = all.filter { !attempts[$0].transaction.isEmpty }
        return named.isEmpty ? all : named
    }

    /// The capture with this id, of whichever attempt.
    func capture(_ id: String) -> Capture? {
        for attempt in attempts {
            if let place = attempt.captures.index(id: id) { return attempt.captures[place] }
        }
        return nil
    }

    /// The place of the attempt that an id means, by itself or by a capture; nil where it is none.
    fileprivate func owner(of id: String?) -> Int? {
        guard let id else { return nil }
        return attempts.index(id: id)
            ?? attempts.firstIndex { $0.captures.index(id: id) != nil }
    }

    /// What the captures of an attempt take from: its own authorisation; where they were told
    /// without a transaction id, the order's.
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
