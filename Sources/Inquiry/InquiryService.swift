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

    private struct State {
        var targets: [String: InquiryTarget]
        var tokens: [String: InquiryToken] = [:]
        var pace = InquiryPace()
    }

    private let store: any Store
    private let transport: any InquiryTransport
    private let state: Mutex<State>
    private let notice: @Sendable (OrderName, InquiryReport) -> Void

    /// - Parameters:
    ///   - targets: The endpoints that can be asked.
    ///   - notice: Is told what each inquiry came to, for the log.
    package init(
        _ targets: [InquiryTarget], store: any Store, transport: any InquiryTransport,
        notice: @escaping @Sendable (OrderName, InquiryReport) -> Void = { _, _ in }
    ) {
        self.store = store
        self.transport = transport
        self.notice = notice
        state = Mutex(State(targets: Self.table(targets)))
    }

    /// Takes other targets for the questions that are asked from here on.
    package func replace(_ targets: [InquiryTarget]) {
        state.withLock { state in
            state.targets = Self.table(targets)
            // They may have been another account's.
            state.tokens = [:]
        }
    }

    private static func table(_ targets: [InquiryTarget]) -> [String: InquiryTarget] {
        Dictionary(targets.map { ($0.endpoint, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Asks at once and records what is answered. Silence changes nothing.
    ///
    /// - Throws: ``InquiryRefusal``.
    package func ask(_ name: OrderName) async throws(InquiryRefusal) -> InquiryReport {
        let place = InquiryPace.OrderPlace(endpoint: name.endpoint, reference: name.reference)
        let now = Int64(MonotonicTime.now().nanoseconds / 1000)
        let turn = state.withLock { state -> (InquiryTarget?, Double?) in
            guard let target = state.targets[name.endpoint] else { return (nil, nil) }
            let wait = state.pace.wait(for: place, pauseSeconds: target.pauseSeconds, now: now)
            return (target, wait)
        }
        guard let target = turn.0 else { throw .notConfigured }
        if let seconds = turn.1 { throw .tooSoon(seconds: seconds) }
        let order: Order?
        do throws(ReadFailure) {
            order = try await store.order(endpoint: name.endpoint, reference: name.reference)?
                .order
        } catch {
            throw .unreadable(error)
        }
        var report: InquiryReport?
        for question in Self.questions(name, order, target) {
            let next = try await ask(question, target)
            if report?.add(next) == nil { report = next }
        }
        let whole = report ?? InquiryReport(.retry, .none, "not_asked", "there was no question")
        notice(name, whole)
        return whole
    }

    /// What to ask: by the merchant's reference; where a system is surer of its own ids, by those
    /// of the payments that are known.
    static func questions(
        _ name: OrderName, _ order: Order?, _ target: InquiryTarget
    ) -> [InquiryQuestion] {
        let known = order?.attempts.map(\.transaction).filter { !$0.isEmpty } ?? []
        if target.prefersTransaction, !known.isEmpty {
            return known.suffix(questionsMax).map { InquiryQuestion(by: .transaction, $0) }
        }
        return [
            InquiryQuestion(
                by: .reference, name.reference, currency: order?.expected?.amount.currency)
        ]
    }

    private func ask(
        _ question: InquiryQuestion, _ target: InquiryTarget
    ) async throws(InquiryRefusal) -> InquiryReport {
        var conversation = InquiryConversation(
            question, token: state.withLock { $0.tokens[target.endpoint] })
        let finding: InquiryFinding
        do throws(InquiryFailure) {
            finding = try await converse(&conversation, target)
        } catch {
            return InquiryReport(.retry, .none, error.reason, error.detail)
        }
        if let token = finding.token {
            state.withLock { $0.tokens[target.endpoint] = token }
        }
        var report = InquiryReport(finding)
        report.facts = finding.facts.count
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

    private func converse(
        _ conversation: inout InquiryConversation, _ target: InquiryTarget
    ) async throws(InquiryFailure) -> InquiryFinding {
        while conversation.exchanges.count <= Self.exchangesMax {
            let now = Timestamp(microseconds: WallClock.microseconds())
            let step: InquiryStep
            do throws(InquiryError) {
                step = try target.inquirer.next(conversation, now: now)
            } catch {
                throw InquiryFailure(
                    reason: "request_invalid", detail: "the question cannot be asked: \(error)")
            }
            switch step {
            case .found(let finding): return finding
            case .ask(let request):
                let answer = try await transport.send(request, to: target)
                conversation.append(InquiryExchange(request, answer))
            }
        }
        throw InquiryFailure(reason: "too_many_exchanges", detail: "the provider asks for more")
    }
}

extension Submission {
    /// A fact of an answer, with both sides of its exchange; credentials are left out.
    init(
        _ fact: InquiryFact, of conversation: InquiryConversation, trust: InquiryTrust,
        _ target: InquiryTarget
    ) {
        let exchange = conversation.exchanges[fact.exchange]
        var notification = fact.notification
        notification.kind = Notification.inquiryKind
        self.init(
            endpoint: target.endpoint, provider: target.provider, key: fact.key,
            notification: notification,
            request: RecordedRequest(
                method: exchange.request.method,
                target: Array(exchange.request.target.utf8)[...],
                headers: exchange.request.recordedHeaders, body: exchange.request.body),
            inquiry: RecordedInquiry(
                trust: trust.rawValue, status: exchange.answer.status,
                headers: exchange.answer.headers, body: exchange.answer.body),
            peer: "", received: exchange.answer.received)
    }
}
