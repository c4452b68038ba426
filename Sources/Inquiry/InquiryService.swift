import Payments
import Platform
import Providers
import Records
import Store
import Synchronization
import Telemetry

/// Asks providers about orders and records what they answer.
package final class InquiryService: Sendable {
    /// Largest number of questions in one inquiry: one for each known payment of the order.
    package static let questionsMax = 4
    /// Largest number of exchanges in one conversation. No system needs as many.
    package static let exchangesMax = 64
    /// Pause after an answer 429 without `Retry-After`.
    static let throttledSeconds = 60.0

    let store: any Store
    let transport: any InquiryTransport
    private let clock: any Clock
    let tracing: WorkTracing?
    let state: Mutex<InquiryState>
    private let notice: @Sendable (OrderName, InquiryReport) -> Void

    /// - Parameters:
    ///   - targets: The endpoints that can be asked.
    ///   - clock: Clock for the limits.
    ///   - tracing: Traces each inquiry; nil while traces are off.
    ///   - notice: Receives the report of each inquiry on demand, for the log.
    package init(
        _ targets: [InquiryTarget], store: any Store, transport: any InquiryTransport,
        clock: any Clock, tracing: WorkTracing? = nil,
        notice: @escaping @Sendable (OrderName, InquiryReport) -> Void = { _, _ in }
    ) {
        self.store = store
        self.transport = transport
        self.clock = clock
        self.tracing = tracing
        self.notice = notice
        state = Mutex(InquiryState(targets: Self.table(targets)))
    }

    /// Replaces the targets for questions from now on.
    package func replace(_ targets: [InquiryTarget]) {
        state.withLock { $0.replace(Self.table(targets)) }
    }

    private static func table(_ targets: [InquiryTarget]) -> [String: InquiryTarget] {
        Dictionary(targets.map { ($0.endpoint, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the endpoint has a target.
    package func canAsk(_ endpoint: String) -> Bool {
        state.withLock { $0.targets[endpoint] != nil }
    }

    /// The endpoints that can be asked.
    package var targets: [InquiryTarget] { state.withLock { Array($0.targets.values) } }

    /// Counters by endpoint since the start.
    package var counters: [String: InquiryCounters] { state.withLock(\.counters) }

    // MARK: Limits

    /// Takes the right to ask an endpoint one question, or returns the seconds until there is one.
    /// For the schedule, before ``askIfOpen(_:)``.
    package func takeToken(_ endpoint: String) -> Double? {
        let now = now
        return state.withLock { $0.takeToken(endpoint, now: now) }
    }

    /// Takes the right to ask about an order on command.
    ///
    /// - Parameter isPatient: Whether the endpoint's limit and its provider's pause are kept as by
    ///   the schedule: for a sweep over many orders. Otherwise the limit may be exceeded a little.
    /// - Throws: ``InquiryRefusal``; the provider is not asked then.
    package func permit(
        _ name: OrderName, isPatient: Bool = false
    ) throws(InquiryRefusal) -> InquiryPermit {
        InquiryPermit(name: name, target: try turn(name, isPatient ? .take : .borrow))
    }

    /// Asks at once and records the facts of the answer. Without an answer nothing changes.
    ///
    /// - Parameter checkout: The id of a checkout to ask by, in place of
    ///   the order's own ids. The answer must name the order's reference.
    /// - Throws: ``InquiryRefusal``.
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

    /// Asks about an order that is still open, for a caller that has taken a token. Returns nil,
    /// without asking, if the order is settled or missing, or has no id to ask by.
    ///
    /// - Throws: ``InquiryRefusal``.
    package func askIfOpen(_ name: OrderName) async throws(InquiryRefusal) -> InquiryReport? {
        let order = try await order(name)
        guard let order, order.isOpen(clock) else { return nil }
        let questions = try questions(about: name, order)
        return questions.isEmpty ? nil : try await ask(questions, name, turn(name, .taken))
    }

    /// The questions about an order. The right to ask is taken only if there are any: otherwise a
    /// person who asks next would be refused, as if the order had just been asked about.
    private func questions(
        about name: OrderName, _ order: Order
    ) throws(InquiryRefusal) -> [InquiryQuestion] {
        guard let target = state.withLock({ $0.targets[name.endpoint] }) else {
            throw .notConfigured
        }
        return target.questions(about: name, order)
    }

    /// Asks what happened to a payment, for a notification that only says that something did, and
    /// records the facts of the answer. It has the limits of the schedule, and the pause between
    /// two questions about one id, because a stranger can send such a notification.
    ///
    /// - Throws: ``InquiryRefusal``.
    package func look(
        at endpoint: String, _ question: InquiryQuestion
    ) async throws(InquiryRefusal) -> InquiryReport {
        let name = OrderName(endpoint: endpoint, reference: question.value)
        let report = try await ask([question], name, turn(name, .take))
        notice(name, report)
        return report
    }

    /// Whether the order is open, according to the store.
    func isOpen(_ name: OrderName) async -> Bool {
        guard let order = try? await order(name) else { return false }
        return order.isOpen(clock)
    }

    /// The pause between two questions about an order of an endpoint; nil where its provider cannot
    /// be asked.
    package func pauseSeconds(of endpoint: String) -> Double? {
        state.withLock { $0.targets[endpoint]?.pauseSeconds }
    }

    /// Asks for a client that waits for an order that is open, within the limits of the schedule.
    /// The client follows the store's feed. An order that neither a notification nor the merchant
    /// has named is not asked about: the client may have made its name up.
    ///
    /// - Returns: Seconds after which to ask again; nil where there is nothing to ask.
    package func ask(forClientOf name: OrderName) async -> Double? {
        guard let pause = pauseSeconds(of: name.endpoint) else { return nil }
        do throws(InquiryRefusal) {
            let order = try await order(name)
            guard let order, order.isOpen(clock) else { return pause }
            let questions = try questions(about: name, order)
            guard !questions.isEmpty else { return nil }
            notice(name, try await ask(questions, name, turn(name, .take)))
            return pause
        } catch {
            switch error {
            case .tooSoon(let seconds): return seconds
            case .notConfigured, .notListed: return nil
            // The schedule asks again.
            case .unreadable, .notStored: return pause
            }
        }
    }

    private func turn(
        _ name: OrderName, _ allowance: InquiryState.Allowance
    ) throws(InquiryRefusal) -> InquiryTarget {
        let now = now
        switch state.withLock({ $0.turn(name, allowance, now: now) }) {
        case .now(let target): return target
        case .later(let seconds): throw .tooSoon(seconds: seconds)
        case .notConfigured: throw .notConfigured
        }
    }

    var wall: Timestamp { Timestamp(microseconds: clock.wallMicroseconds) }

    /// Microseconds of a clock that only rises.
    var now: Int64 { Int64(clock.now.nanoseconds / 1000) }

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
        guard let tracing else { return try await askEach(questions, name, target) }
        return try await tracing.inquiry(about: name, target) {
            () async throws(InquiryRefusal) in try await askEach(questions, name, target)
        }
    }

    private func askEach(
        _ questions: [InquiryQuestion], _ name: OrderName, _ target: InquiryTarget
    ) async throws(InquiryRefusal) -> InquiryReport {
        var report: InquiryReport?
        do throws(InquiryRefusal) {
            for question in questions {
                let next = try await ask(question, target)
                if report?.add(next) == nil { report = next }
            }
        } catch {
            state.withLock { $0.countNotStored(at: name.endpoint) }
            throw error
        }
        let whole = report ?? InquiryReport(.absent, .none, "not_asked", "no id is known to ask by")
        state.withLock { $0.count(whole, at: name.endpoint) }
        return whole
    }

    private func ask(
        _ question: InquiryQuestion, _ target: InquiryTarget
    ) async throws(InquiryRefusal) -> InquiryReport {
        var conversation = InquiryConversation(
            question, token: state.withLock { $0.accessToken(of: target.endpoint) })
        let finding: InquiryFinding
        do throws(InquiryFailure) {
            finding = try await target.converse(&conversation, over: transport, clock)
        } catch {
            return InquiryReport(.retry, .none, error.reason, error.detail)
        }
        if let token = finding.token {
            state.withLock { $0.keep(token, of: target.endpoint) }
        }
        var report = InquiryReport(finding)
        report.facts = finding.facts.count
        let last = conversation.exchanges.last?.answer
        if finding.verdict == .retry, let seconds = last?.pauseSeconds {
            let bounded = min(max(0, seconds), target.schedule.retryAfterSecondsMax)
            report.retryAfterSeconds = bounded
            let now = now
            state.withLock { $0.pause(target.endpoint, seconds: bounded, now: now) }
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
            // Only a person's act is denied.
            case .duplicate, .denied: break
            case .refused(let refusal): throw .notStored(refusal)
            }
        }
        return report
    }
}

extension Order {
    fileprivate func isOpen(_ clock: any Clock) -> Bool {
        OpenOrder.isOpen(
            status, flags: flags, expires: expected?.expires,
            now: Timestamp(microseconds: clock.wallMicroseconds))
    }
}
