import Payments
import Platform
import Providers
import Records
import Store
import Synchronization

/// Asks providers about orders and records what they answer.
package final class InquiryService: Sendable {
    /// Questions about one order at one time: one for each payment of it that is known.
    package static let questionsMax = 4
    /// Exchanges of one conversation; no system needs as many.
    package static let exchangesMax = 64
    /// How long a provider is left alone that answers 429 without `Retry-After`.
    static let throttledSeconds = 60.0

    private let store: any Store
    private let transport: any InquiryTransport
    private let clock: any Clock
    private let state: Mutex<InquiryState>
    private let notice: @Sendable (OrderName, InquiryReport) -> Void

    /// - Parameters:
    ///   - targets: The endpoints that can be asked.
    ///   - clock: Paces the questions.
    ///   - notice: Is told what each inquiry on demand came to, for the log.
    package init(
        _ targets: [InquiryTarget], store: any Store, transport: any InquiryTransport,
        clock: any Clock,
        notice: @escaping @Sendable (OrderName, InquiryReport) -> Void = { _, _ in }
    ) {
        self.store = store
        self.transport = transport
        self.clock = clock
        self.notice = notice
        state = Mutex(InquiryState(targets: Self.table(targets)))
    }

    /// Takes other targets for the questions that are asked from here on.
    package func replace(_ targets: [InquiryTarget]) {
        state.withLock { $0.replace(Self.table(targets)) }
    }

    private static func table(_ targets: [InquiryTarget]) -> [String: InquiryTarget] {
        Dictionary(targets.map { ($0.endpoint, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the endpoint of this name can be asked at all.
    package func canAsk(_ endpoint: String) -> Bool {
        state.withLock { $0.targets[endpoint] != nil }
    }

    /// The endpoints that can be asked.
    package var targets: [InquiryTarget] { state.withLock { Array($0.targets.values) } }

    /// What inquiries came to, by endpoint, since the start.
    package var counters: [String: InquiryCounters] {
        state.withLock { state in
            state.targets.mapValues { state.counters[$0.endpoint] ?? InquiryCounters() }
        }
    }

    // MARK: Taking one's turn

    /// Takes the right to ask an endpoint one question, or says how many seconds are left until
    /// there is one. For those who ask about many orders: see `askIfOpen`.
    package func takeToken(_ endpoint: String) -> Double? {
        state.withLock { state in
            state.withBucket(endpoint, now: now) { $0.take(now: $1) }
        }
    }

    /// Takes the right to ask about an order now, for somebody who wants it asked.
    ///
    /// - Parameter isPatient: Whether the endpoint's limit counts as for the schedule, and so does
    ///   the pause that its provider has asked for: for a sweep over many orders. A person may be
    ///   ahead of the limit.
    /// - Throws: ``InquiryRefusal``; nobody is asked then.
    package func permit(
        _ name: OrderName, isPatient: Bool = false
    ) throws(InquiryRefusal) -> InquiryPermit {
        InquiryPermit(name: name, target: try turn(name, isPatient ? .take : .borrow))
    }

    /// Asks at once and records what is answered. Silence changes nothing.
    ///
    /// - Throws: ``InquiryRefusal``.
    ///
    /// - Parameter checkout: Ask by this id of a checkout (Open Payment Platform), not by what is
    ///   known of the order. The answer must name the order's reference.
    package func ask(
        _ permit: InquiryPermit, checkout: String? = nil
    ) async throws(InquiryRefusal) -> InquiryReport {
        let name = permit.name
        let questions =
            if let checkout {
                [InquiryQuestion(by: .checkout, checkout, reference: name.reference)]
            } else {
                permit.target.questions(about: name, try await order(name))
            }
        let whole = try await ask(questions, name, permit.target)
        notice(name, whole)
        return whole
    }

    /// The same for an order that is still open, by somebody who has a token; nil where the order
    /// is settled or gone, and nobody was asked.
    ///
    /// - Throws: ``InquiryRefusal``.
    package func askIfOpen(_ name: OrderName) async throws(InquiryRefusal) -> InquiryReport? {
        let order = try await order(name)
        guard let order, order.isOpen(clock) else { return nil }
        let target = try turn(name, .taken)
        return try await ask(target.questions(about: name, order), name, target)
    }

    /// Whether more is to come of the order, as far as the store can tell.
    func isOpen(_ name: OrderName) async -> Bool {
        guard let order = try? await order(name) else { return false }
        return order.isOpen(clock)
    }

    /// Whether `askOnce` would ask about the order, as far as that can be known now.
    package func canAsk(_ name: OrderName) -> Bool {
        state.withLock { $0.targets[name.endpoint] != nil && !$0.asked.contains(name) }
    }

    /// Asks for somebody who waits for the order, at most once per order, and only while the
    /// endpoint's limit leaves room. Nobody is told what came of it: the store's feed tells those
    /// who wait.
    package func askOnce(_ name: OrderName) async {
        let isFirst = state.withLock { state in
            guard state.targets[name.endpoint] != nil, !state.asked.contains(name),
                state.withBucket(name.endpoint, now: now, { $0.take(now: $1) }) == nil
            else { return false }
            state.asked.insert(name)
            return true
        }
        guard isFirst else { return }
        do throws(InquiryRefusal) {
            let target = try turn(name, .taken)
            let questions = target.questions(about: name, try await order(name))
            notice(name, try await ask(questions, name, target))
        } catch {
            // Asked a moment ago, or not to be stored: the schedule asks again.
        }
    }

    /// How the endpoint's limit is kept.
    private enum Allowance { case taken, take, borrow }

    /// Takes the order's turn: providers limit questions about one payment. The order's own pause
    /// comes first, so that who has to wait for it takes no token.
    private func turn(
        _ name: OrderName, _ allowance: Allowance
    ) throws(InquiryRefusal) -> InquiryTarget {
        let place = InquiryPace.OrderPlace(endpoint: name.endpoint, reference: name.reference)
        let now = now
        let turn = state.withLock { state -> (InquiryTarget?, Double?) in
            guard let target = state.targets[name.endpoint] else { return (nil, nil) }
            let pause = target.pauseSeconds
            if let wait = state.pace.left(for: place, pauseSeconds: pause, now: now) {
                return (target, wait)
            }
            let wait: Double? = state.withBucket(name.endpoint, now: now) { bucket, now in
                switch allowance {
                case .taken: nil
                case .take: bucket.take(now: now)
                case .borrow: bucket.borrow(now: now)
                }
            }
            if let wait { return (target, wait) }
            state.pace.note(place, now: now)
            return (target, nil)
        }
        guard let target = turn.0 else { throw .notConfigured }
        if let seconds = turn.1 { throw .tooSoon(seconds: seconds) }
        return target
    }

    private var now: Int64 { Int64(clock.now.nanoseconds / 1000) }

    private func order(_ name: OrderName) async throws(InquiryRefusal) -> Order? {
        do throws(ReadFailure) {
            return try await store.order(name)?.order
        } catch {
            throw .unreadable(error)
        }
    }

    // MARK: Asking

    private func ask(
        _ questions: [InquiryQuestion], _ name: OrderName, _ target: InquiryTarget
    ) async throws(InquiryRefusal) -> InquiryReport {
        var report: InquiryReport?
        do throws(InquiryRefusal) {
            for question in questions {
                let next = try await ask(question, target)
                if report?.add(next) == nil { report = next }
            }
        } catch {
            state.withLock { $0.counters[name.endpoint, default: .init()].notStored += 1 }
            throw error
        }
        let whole = report ?? InquiryReport(.retry, .none, "not_asked", "there was no question")
        state.withLock { $0.counters[name.endpoint, default: .init()].count(whole) }
        return whole
    }

    private func ask(
        _ question: InquiryQuestion, _ target: InquiryTarget
    ) async throws(InquiryRefusal) -> InquiryReport {
        var conversation = InquiryConversation(
            question, token: state.withLock { $0.tokens[target.endpoint] })
        let finding: InquiryFinding
        do throws(InquiryFailure) {
            finding = try await target.converse(&conversation, over: transport, clock)
        } catch {
            return InquiryReport(.retry, .none, error.reason, error.detail)
        }
        if let token = finding.token {
            state.withLock { $0.tokens[target.endpoint] = token }
        }
        var report = InquiryReport(finding)
        report.facts = finding.facts.count
        if finding.verdict == .retry, let seconds = conversation.retryAfterSeconds {
            let bounded = min(max(0, seconds), target.schedule.retryAfterSecondsMax)
            report.retryAfterSeconds = bounded
            state.withLock { state in
                state.withBucket(target.endpoint, now: now) {
                    $0.rest(seconds: bounded, now: $1)
                }
            }
        }
        for fact in finding.facts {
            let receipt = await store.record(
                Submission(fact, of: conversation, trust: finding.trust, target))
            switch receipt.outcome {
            case .recorded(let sequence), .ignored(let sequence):
                report.recorded.append(sequence)
            case .conflict(let sequence):
                report.recorded.append(sequence)
                report.conflicts += 1
            case .duplicate: break
            case .refused(let refusal): throw .notStored(refusal)
            }
        }
        return report
    }
}

extension Order {
    fileprivate func isOpen(_ clock: any Clock) -> Bool {
        OpenOrder.isOpen(
            status, expires: expected?.expires,
            now: Timestamp(microseconds: clock.wallMicroseconds))
    }
}
