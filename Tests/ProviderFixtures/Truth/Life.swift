import Payments

/// One event of a payment at its provider.
package enum Fact: Sendable {
    case attempt(id: String, AttemptStatus, Int64)
    case capture(id: String, of: String, ActionStatus, Int64)
    case refund(id: String, of: String, ActionStatus, Int64)
    /// The release of an authorised amount that was not captured.
    case void(id: String, of: String, Int64)
    /// A refund that is reversed.
    case refundReversal(id: String, of: String, Int64)
    case dispute(id: String, of: String, DisputeStatus, Int64)
    /// A chargeback that is reversed, reported by its own id or by the payment's.
    case disputeReversal(id: String, of: String, named: String, Int64)
    /// The authorisation is raised: by an amount, to a total.
    case raise(id: String, of: String, added: Int64, total: Int64)
    /// A payment is canceled after it was paid. An answer may list the returned money.
    case cancel(id: String, of: String, Int64, isListed: Bool)
}

/// The events that a provider supports.
package struct Abilities: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let captures = Abilities(rawValue: 1)
    package static let voids = Abilities(rawValue: 2)
    package static let refundReversals = Abilities(rawValue: 4)
    package static let disputes = Abilities(rawValue: 8)
    package static let disputeReversals = Abilities(rawValue: 16)
    /// Open, won and closed disputes; without it a chargeback is lost at once.
    package static let openDisputes = Abilities(rawValue: 32)
    /// A refund may fail or be pending.
    package static let failedRefunds = Abilities(rawValue: 64)
    /// A customer may pay an order twice.
    package static let secondPayments = Abilities(rawValue: 128)
    package static let raises = Abilities(rawValue: 256)
    /// Two attempts of a payment may have one id.
    package static let retries = Abilities(rawValue: 512)
    /// A payment may be reported as canceled after it was paid.
    package static let cancels = Abilities(rawValue: 1024)
    /// Such a cancellation may be listed in an answer.
    package static let listedCancels = Abilities(rawValue: 2048)
    /// Two tries of a payment have one id, and a failure is that of one try.
    package static let tries = Abilities(rawValue: 4096)
    /// A payment is reported when its outcome is known.
    package static let outcomesOnly = Abilities(rawValue: 8192)
    /// An authorisation is captured once, perhaps in part, or the capture fails.
    package static let oneCapture = Abilities(rawValue: 16384)
    /// An attempt is reported when it succeeded.
    package static let successesOnly = Abilities(rawValue: 32768)
}

/// The life of a payment, from its first attempt, as in the provider's own books.
package struct Life: Sendable {
    package let reference: String
    /// The order that is played together with this one: some merchants number the references of
    /// operations and payments in one sequence.
    package let neighbour: String
    package private(set) var facts: [Fact] = []
    package private(set) var total: Int64 = 0
    /// Whether a failure is that of one try, so that a later success does not contradict it.
    package var failsByTry: Bool { abilities.contains(.tries) }
    /// The authorised amount, if the payment was not captured at once.
    private var authorized: Int64 = 0
    private let abilities: Abilities
    private let prefix: String
    private var ids = 0

    package init(
        _ abilities: Abilities, seed: UInt64, using generator: inout some RandomNumberGenerator
    ) {
        self.abilities = abilities
        prefix = "P\(seed)"
        reference = "ORDER-\(seed)"
        neighbour = "ORDER-\(seed ^ 1)"
        total = Int64.random(in: 2...900, using: &generator) * 10
        // The customer may have had another cart then.
        for _ in 0..<Int.random(in: 0...1, using: &generator) {
            let other = Int64.random(in: 1...9000, using: &generator)
            facts.append(.attempt(id: id(), .failed, generator.once(in: 2) ? total : other))
        }
        if generator.once(in: 6) {
            endUnpaid(using: &generator)
            keepSuccesses()
            return
        }
        let payment = id()
        let second =
            abilities.contains(.secondPayments) && generator.once(in: 8) ? id() : nil
        if generator.once(in: 2) { facts.append(.attempt(id: payment, .pending, total)) }
        if !abilities.isDisjoint(with: [.retries, .tries]), generator.once(in: 6) {
            facts.append(.attempt(id: payment, .failed, total))
        }
        if abilities.contains(.captures), generator.once(in: 2) {
            if let second { facts.append(.attempt(id: second, .authorized, total)) }
            playAuthorized(payment, isAlone: second == nil, using: &generator)
        } else {
            facts.append(.attempt(id: payment, .paid, total))
            if let second { facts.append(.attempt(id: second, .paid, total)) }
            if second == nil, abilities.contains(.cancels), generator.once(in: 5) {
                let isListed = abilities.contains(.listedCancels) && generator.once(in: 2)
                facts.append(.cancel(id: id(), of: payment, total, isListed: isListed))
            } else {
                let payments = [payment, second].compactMap(\.self)
                playPaid(payments.map { ($0, total) }, using: &generator)
            }
        }
        // A life that has not ended.
        if generator.once(in: 5) {
            facts.removeLast(Int.random(in: 0..<facts.count, using: &generator))
        }
        keepSuccesses()
        guard abilities.contains(.outcomesOnly) else { return }
        facts.removeAll { if case .attempt(_, .pending, _) = $0 { true } else { false } }
        if facts.isEmpty { facts.append(.attempt(id: payment, .failed, total)) }
    }

    /// The attempts that are authorised or paid.
    package var liveAttempts: Set<String> {
        Set(
            facts.compactMap {
                if case .attempt(let id, .authorized, _) = $0 { return id }
                if case .attempt(let id, .paid, _) = $0 { return id }
                return nil
            })
    }

    private mutating func id() -> String {
        ids += 1
        return "\(prefix)x\(ids)"
    }

    private mutating func endUnpaid(using generator: inout some RandomNumberGenerator) {
        let status = generator.pick([AttemptStatus.failed, .pending])
        facts.append(
            .attempt(id: id(), abilities.contains(.outcomesOnly) ? .failed : status, total))
    }

    /// Removes the attempts that are never reported; one that is paid remains, if not another.
    private mutating func keepSuccesses() {
        guard abilities.contains(.successesOnly) else { return }
        facts.removeAll {
            guard case .attempt(_, let status, _) = $0 else { return false }
            return status == .pending || status == .failed
        }
        if facts.isEmpty { facts.append(.attempt(id: id(), .paid, total)) }
    }

    private mutating func playAuthorized(
        _ payment: String, isAlone: Bool, using generator: inout some RandomNumberGenerator
    ) {
        facts.append(.attempt(id: payment, .authorized, total))
        authorized = total
        if abilities.contains(.voids), generator.once(in: 4) {
            facts.append(.void(id: id(), of: payment, total))
            return
        }
        if abilities.contains(.raises), isAlone, generator.once(in: 4) {
            let added = Int64.random(in: 1...total, using: &generator)
            authorized += added
            facts.append(.raise(id: id(), of: payment, added: added, total: authorized))
        }
        var left = authorized
        var captures: [(String, Int64)] = []
        for _ in 0..<Int.random(in: 1...3, using: &generator) where left > 0 {
            let capture = id()
            let amount =
                generator.once(in: 2) ? left : Int64.random(in: 1...left, using: &generator)
            let status: ActionStatus = generator.once(in: 5) ? .failed : .succeeded
            facts.append(.capture(id: capture, of: payment, status, amount))
            if status == .succeeded {
                left -= amount
                captures.append((capture, amount))
            }
            if status == .succeeded, abilities.contains(.oneCapture) { break }
        }
        guard !captures.isEmpty else { return }
        if abilities.contains(.voids), left > 0, generator.once(in: 3) {
            facts.append(.void(id: id(), of: payment, left))
        }
        let parents = captures.map { (generator.once(in: 2) ? $0.0 : payment, $0.1) }
        playPaid(parents, using: &generator)
    }

    /// Plays refunds and chargebacks of the captured amount.
    private mutating func playPaid(
        _ taken: [(parent: String, amount: Int64)],
        using generator: inout some RandomNumberGenerator
    ) {
        var left = taken.reduce(0) { $0 + $1.amount }
        var last: Int64?
        for _ in 0..<Int.random(in: 0...3, using: &generator) where left > 0 {
            let refund = id()
            let parent = generator.pick(taken).parent
            var amount =
                generator.once(in: 3) ? left : Int64.random(in: 1...left, using: &generator)
            // Equal refunds, too: then little more than the time distinguishes them.
            if let last, last <= left, generator.once(in: 2) { amount = last }
            last = amount
            let fails = abilities.contains(.failedRefunds) && generator.once(in: 5)
            let status: ActionStatus = fails ? generator.pick([.failed, .pending]) : .succeeded
            facts.append(.refund(id: refund, of: parent, status, amount))
            guard status == .succeeded else { continue }
            left -= amount
            if abilities.contains(.refundReversals), generator.once(in: 4) {
                facts.append(.refundReversal(id: id(), of: refund, amount))
                left += amount
            }
        }
        guard abilities.contains(.disputes), left > 0, generator.once(in: 4) else { return }
        playDispute(of: generator.pick(taken).parent, left, using: &generator)
        // A reversed chargeback may be charged back again.
        if abilities.contains(.disputeReversals), generator.once(in: 2) {
            playDispute(of: generator.pick(taken).parent, left, using: &generator)
        }
    }

    private mutating func playDispute(
        of parent: String, _ left: Int64, using generator: inout some RandomNumberGenerator
    ) {
        let dispute = id()
        if abilities.contains(.openDisputes) {
            facts.append(.dispute(id: dispute, of: parent, .open, left))
            facts.append(
                .dispute(id: dispute, of: parent, generator.pick([.won, .lost, .closed]), left))
        } else {
            facts.append(.dispute(id: dispute, of: parent, .lost, left))
        }
        if abilities.contains(.disputeReversals), generator.once(in: 2) {
            let named = generator.once(in: 2) ? dispute : parent
            facts.append(.disputeReversal(id: id(), of: dispute, named: named, left))
        }
    }
}
