import JSON
import Payments

@testable import Providers

/// Antom: with separate capture a payment result is an authorisation, as the endpoint is configured
/// or the captures show.
package struct AntomTeller: Teller {
    package static let abilities: Abilities = [
        .captures, .disputes, .openDisputes, .failedRefunds, .secondPayments, .raises,
    ]
    package static let troubles: Abilities = [.retries, .cancels, .listedCancels]
    /// With two payments, captures that name none are ambiguous.
    package let isUnclear: Bool

    private let reference: String
    private let capture: EndpointSettings.Capture
    /// Whether operations repeat the payment's reference.
    private let namesReference: Bool
    /// Whether captures and refunds that repeat the reference have the payment's id.
    private let namesPayment: Bool

    package init(_ life: Life, using generator: inout some RandomNumberGenerator) {
        reference = life.reference
        namesReference = generator.once(in: 2)
        namesPayment = !namesReference || generator.once(in: 2)
        var authorized: Set<String> = []
        for fact in life.facts {
            if case .attempt(let id, .authorized, _) = fact { authorized.insert(id) }
        }
        let isAuthorized = !authorized.isEmpty
        var hasCapture = false
        for fact in life.facts {
            guard case .capture(_, let payment, _, _) = fact else { continue }
            hasCapture = true
            authorized.remove(payment)
        }
        // With an endpoint left at automatic, the meaning of an authorisation alone is the
        // merchant's own mistake; a capture corrects it, even if it does not name its payment.
        let isMended = authorized.isEmpty || (hasCapture && !namesPayment)
        capture = isAuthorized && (!isMended || generator.once(in: 2)) ? .manual : .automatic
        isUnclear = !namesPayment && hasCapture && life.liveAttempts.count > 1
    }

    package func tell(_ fact: Fact, number: Int) -> [Notification] {
        switch fact {
        case .attempt(let id, let status, let amount):
            payment(id, status, amount)
        case .capture(let id, let payment, let status, let amount):
            [
                read(
                    [
                        ("notifyType", .text("CAPTURE_RESULT")), ("captureId", .text(id)),
                        ("captureRequestId", .text("cr-\(id)")),
                        ("captureAmount", money(amount)), result(status == .succeeded),
                    ] + names(payment))
            ]
        case .refund(let id, let parent, let status, let amount):
            [
                read(
                    [
                        ("notifyType", .text("REFUND_RESULT")), ("refundId", .text(id)),
                        ("refundRequestId", .text("rr-\(id)")),
                        ("refundAmount", money(amount)), result(true),
                        (
                            "refundStatus",
                            .text(
                                status == .succeeded
                                    ? "SUCCESS" : status == .failed ? "FAIL" : "PROCESSING")
                        ),
                    ] + names(parent))
            ]
        case .dispute(let id, let parent, let status, let amount):
            [dispute(id, parent, status, amount)]
        case .raise(let id, let payment, _, let total):
            [
                read([
                    ("notifyType", .text("UPDATE_AMOUNT_RESULT")), ("updateRequestId", .text(id)),
                    ("paymentId", .text(payment)), ("paymentRequestId", .text(reference)),
                    ("paymentAmount", money(total)), result(true),
                ])
            ]
        case .cancel(let id, let payment, let amount, let isListed):
            canceled(id, payment, amount, isListed)
        case .void, .refundReversal, .disputeReversal: []
        }
    }

    /// The answer to an inquiry after the payment was canceled.
    private func canceled(
        _ id: String, _ payment: String, _ amount: Int64, _ isListed: Bool
    ) -> [Notification] {
        let list =
            "[{\"transactionType\":\"CANCEL\",\"transactionStatus\":\"SUCCESS\",\"transactionId\":"
            + "\"\(id)\",\"transactionAmount\":\(money(amount).description)}]"
        let body =
            "{\"paymentStatus\":\"CANCELLED\",\"paymentId\":\"\(payment)\",\"paymentRequestId\":"
            + "\"\(reference)\",\"paymentAmount\":\(money(amount).description),"
            + "\"transactions\":\(isListed ? list : "null")}"
        let bytes = Array(body.utf8)
        guard let root = try? JSONDocument(parsing: bytes).root,
            let facts = try? AntomInterpretation(root: root, body: bytes, capture: capture)
                .answeredPayment
        else { fatalError("no answer: \(body)") }
        return facts
    }

    private func names(_ payment: String) -> [(String, Body)] {
        (namesReference ? [("paymentRequestId", .text(reference))] : [])
            + (namesPayment ? [("paymentId", .text(payment))] : [])
    }

    private func payment(_ id: String, _ status: AttemptStatus, _ amount: Int64) -> [Notification] {
        let isPending = status == .pending
        let succeeds = status != .failed
        return [
            read([
                ("notifyType", .text(isPending ? "PAYMENT_PENDING" : "PAYMENT_RESULT")),
                ("paymentId", .text(id)), ("paymentRequestId", .text(reference)),
                ("paymentAmount", money(amount)), result(succeeds),
            ])
        ]
    }

    private func dispute(
        _ id: String, _ parent: String, _ status: DisputeStatus, _ amount: Int64
    ) -> Notification {
        var members: [(String, Body)] = [
            ("disputeId", .text(id)), ("paymentId", .text(parent)),
            ("paymentRequestId", .text(reference)), ("disputeAmount", money(amount)),
        ]
        switch status {
        case .open: members.append(("disputeNotificationType", .text("DISPUTE_CREATED")))
        case .closed: members.append(("disputeNotificationType", .text("DISPUTE_CANCELLED")))
        case .won, .lost:
            members.append(("disputeNotificationType", .text("DISPUTE_JUDGED")))
            members.append(
                (
                    "disputeJudgedResult",
                    .text(status == .won ? "ACCEPT_BY_CUSTOMER" : "ACCEPT_BY_MERCHANT")
                ))
        }
        return read(members)
    }

    private func money(_ amount: Int64) -> Body {
        .object([("currency", .text("EUR")), ("value", .text("\(amount)"))])
    }

    private func result(_ succeeds: Bool) -> (String, Body) {
        (
            "result",
            .object([
                ("resultCode", .text(succeeds ? "SUCCESS" : "PROCESS_FAIL")),
                ("resultMessage", .text("m")), ("resultStatus", .text(succeeds ? "S" : "F")),
            ])
        )
    }

    private func read(_ members: [(String, Body)]) -> Notification {
        AntomInterpretation.notification(body: Body.object(members).bytes, capture: capture)
    }
}
