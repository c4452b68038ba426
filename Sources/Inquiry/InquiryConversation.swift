import Payments
import Platform
import Providers
import Records
import Redaction
import Store
import Telemetry

/// One conversation with a provider: its questions and its exchanges.
extension InquiryTarget {
    /// The questions about an order. Most systems are asked by the merchant's reference. A system
    /// that prefers its own ids is asked by those of the known payments, and also by the reference
    /// while none of them is paid: the notification of another payment may be lost. Of an order
    /// with several tries, each try's reference is asked about.
    ///
    /// An order without a reference is asked about by its known ids, and so is every order of a
    /// system that knows no references. Then there may be no question.
    func questions(about name: OrderName, _ order: Order?) -> [InquiryQuestion] {
        guard knowsReferences else { return order.map(questionsByID) ?? [] }
        if let order, order.reference == nil {
            return Set(order.paymentIDs.map { ExactText($0) }).sorted()
                .prefix(InquiryService.questionsMax)
                .map { InquiryQuestion(by: .transaction, $0.text) }
        }
        let currency = order?.amount?.currency ?? order?.expected?.amount.currency
        let byReference = (order?.payable ?? [name.reference])
            .map { InquiryQuestion(by: .reference, $0, currency: currency) }
        let known = order?.attempts.filter { !$0.transaction.isEmpty } ?? []
        guard prefersTransaction, !known.isEmpty else { return byReference }
        let isPaid = known.contains { $0.status == .paid }
        return known.suffix(isPaid ? InquiryService.questionsMax : InquiryService.questionsMax - 1)
            .map { InquiryQuestion(by: .transaction, $0.transaction) }
            + (isPaid ? [] : byReference)
    }

    /// The questions by each id of an order: first those of unconfirmed successes, then the others.
    /// An answer must name the order's reference.
    private func questionsByID(_ order: Order) -> [InquiryQuestion] {
        let captures = order.attempts.flatMap(\.captures)
        let doubted =
            order.attempts.filter(\.isUnconfirmed).map(\.id)
            + captures.filter(\.isPending).map(\.id)
        var asked: Set<ExactText> = []
        let payments = (doubted + captures.map(\.id) + order.paymentIDs)
            .filter { !$0.isEmpty && asked.insert(ExactText($0)).inserted }
            .map { InquiryQuestion(by: .transaction, $0, reference: order.reference) }
        let refunds = order.refunds.filter { $0.status == .pending }
            .map { InquiryQuestion(.refund, by: .transaction, $0.id) }
        return Array((payments + refunds).prefix(InquiryService.questionsMax))
    }

    /// Sends the requests of the system's inquirer until it returns a finding.
    func converse(
        _ conversation: inout InquiryConversation, over transport: any InquiryTransport,
        _ clock: any Clock
    ) async throws(InquiryFailure) -> InquiryFinding {
        while conversation.exchanges.count <= InquiryService.exchangesMax {
            let now = Timestamp(microseconds: clock.wallMicroseconds)
            let step: InquiryStep
            do throws(InquiryError) {
                step = try inquirer.next(conversation, now: now)
            } catch {
                throw InquiryFailure(
                    reason: "request_invalid", detail: "the question cannot be asked: \(error)")
            }
            switch step {
            case .found(let finding): return finding
            case .ask(let request):
                let answer = try await transport.send(request, to: self)
                conversation.append(InquiryExchange(request, answer))
            }
        }
        throw InquiryFailure(reason: "too_many_exchanges", detail: "the provider asks for more")
    }
}

extension InquiryAnswer {
    /// The pause that it asks for. A 429 without `Retry-After` asks for a fixed one.
    var pauseSeconds: Double? {
        if let retryAfterSeconds { return Double(retryAfterSeconds) }
        return status == 429 ? InquiryService.throttledSeconds : nil
    }
}

extension Submission {
    /// Removes what must not be stored.
    mutating func redact(by redactor: Redactor) {
        redactor.redact(&request)
        if var answer = inquiry {
            redactor.redact(&answer)
            inquiry = answer
        }
        redactor.redact(&notification)
    }

    /// A fact of an answer, with the request and the answer, without credentials.
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
            peer: "", received: exchange.answer.received,
            trace: WorkTracing.currentPlace)
        redact(by: target.redactor)
    }
}
