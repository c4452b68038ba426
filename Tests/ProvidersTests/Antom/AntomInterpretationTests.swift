import JSON
import Payments
import Testing

@testable import Providers

@Suite struct AntomInterpretationTests {
    /// A genuine body's layout, with other ids.
    static let paid =
        #"{"actualPaymentAmount":{"currency":"HKD","value":"10000"},"notifyType":"PAYMENT_RESULT","#
        + #""paymentAmount":{"currency":"HKD","value":"10000"},"#
        + #""paymentCreateTime":"2025-05-17T00:57:31-07:00","paymentId":"PAY-1","#
        + #""paymentRequestId":"PR_1","paymentResultInfo":{},"#
        + #""paymentTime":"2025-05-17T00:58:03-07:00","pspCustomerInfo":{"pspName":"ALIPAY_HK"},"#
        + #""result":{"resultCode":"SUCCESS","resultMessage":"success.","resultStatus":"S"}}"#

    private func read(_ body: String) -> Notification { AntomFixture.shared.read(body) }

    private static let amount = #""paymentAmount":{"currency":"MYR","value":"4200"},"#
    private static let ids = #""paymentId":"PAY-1","paymentRequestId":"REQ-1""#
    private static func result(_ status: String) -> String {
        #""result":{"resultStatus":"\#(status)"}"#
    }

    @Test func `a genuine body is read`() {
        let notification = read(Self.paid)
        #expect(
            notification
                == Notification(
                    id: "payment:PAY-1:PAYMENT_RESULT:S", kind: "payment", status: "paid",
                    occurred: Timestamp(iso8601: "2025-05-17T07:58:03Z"), reference: "PR_1",
                    transaction: "PAY-1", effect: .attempt(.paid, .of(10000, "HKD")),
                    ids: .anything, method: "ALIPAY_HK"))
    }

    @Test(arguments: [
        ("ORDER_IS_CLOSED", AttemptStatus.expired), ("PAYMENT_EXPIRED", .expired),
        ("ORDER_IS_CANCELLED", .canceled), ("USER_CANCELED", .canceled),
        ("RISK_REJECT", .failed),
    ])
    func `the result code says how it ended`(_ code: String, _ status: AttemptStatus) {
        let notification = read(
            #"{"notifyType":"PAYMENT_RESULT",\#(Self.amount)\#(Self.ids),"#
                + #""result":{"resultStatus":"F","resultCode":"\#(code)","resultMessage":"m"}}"#)
        #expect(notification.effect == .attempt(status, .of(4200, "MYR")))
        #expect(notification.status == status.name)
        #expect(notification.reason == Reason(code: code, message: "m"))
    }

    /// The decision table of a payment.
    @Test(arguments: [
        ("PAYMENT_RESULT", "S", "paid", AttemptStatus.paid, [] as [Flag]),
        ("PAYMENT_RESULT", "F", "failed", .failed, []),
        ("PAYMENT_RESULT", "U", "U", .pending, [.unknownStatus]),
        ("PAYMENT_RESULT", "s", "s", .pending, [.unknownStatus]),
        ("PAYMENT_PENDING", "S", "pending", .pending, []),
        ("PAYMENT_PENDING", "F", "pending", .pending, []),
        ("UPDATE_AMOUNT_RESULT", "S", "amount_updated", .pending, []),
        ("UPDATE_AMOUNT_RESULT", "F", "amount_update_failed", .pending, []),
    ])
    func payments(
        _ type: String, _ result: String, _ word: String, _ status: AttemptStatus, _ flags: [Flag]
    ) {
        let body = #"{"notifyType":"\#(type)",\#(Self.amount)\#(Self.ids),\#(Self.result(result))}"#
        let notification = read(body)
        #expect(notification.id == "payment:PAY-1:\(type):\(result)")
        #expect(notification.status == word && notification.flags == flags)
        guard case .attempt(let read, let money) = notification.effect else {
            Issue.record("\(notification.effect)")
            return
        }
        #expect(read == status)
        let hidesAmount = type == "UPDATE_AMOUNT_RESULT" || !flags.isEmpty
        #expect(money == (hidesAmount ? nil : .of(4200, "MYR")))
    }

    @Test func `a failed result needs no amount`() {
        let notification = read(
            #"{"notifyType":"PAYMENT_RESULT",\#(Self.ids),\#(Self.result("F"))}"#)
        #expect(notification.effect == .attempt(.failed, nil))
    }

    @Test(arguments: [
        ("PROCESSING", AttemptStatus.authorized), ("REJECT", .authorized), ("ACCEPT", .paid),
    ])
    func `a payment under review is not paid yet`(_ review: String, _ status: AttemptStatus) {
        let body =
            #"{"notifyType":"PAYMENT_RESULT","authReviewStatus":"\#(review)",\#(Self.amount)"#
            + #"\#(Self.ids),\#(Self.result("S"))}"#
        #expect(read(body).effect == .attempt(status, .of(4200, "MYR")))
        #expect(read(body).id == "payment:PAY-1:PAYMENT_RESULT:S:\(review)")
    }

    @Test func `amount updates of one payment are told apart`() {
        func update(_ id: String) -> Notification {
            read(
                #"{"notifyType":"UPDATE_AMOUNT_RESULT","updateRequestId":"\#(id)",\#(Self.ids),"#
                    + #"\#(Self.result("S"))}"#)
        }
        #expect(update("U1").id == "payment:PAY-1:UPDATE_AMOUNT_RESULT:S:U1")
        #expect(update("U2:%").id == "payment:PAY-1:UPDATE_AMOUNT_RESULT:S:U2%3A%25")
    }

    @Test(arguments: [
        (#""notifyType":"CAPTURE_RESULT","#, "S", "succeeded", ActionStatus.succeeded),
        (#""notifyType":"CAPTURE_RESULT","#, "F", "failed", .failed),
        ("", "S", "succeeded", .succeeded),
        ("", "F", "failed", .failed), ("", "U", "pending", .pending),
    ])
    func captures(_ type: String, _ result: String, _ word: String, _ status: ActionStatus) {
        let notification = read(
            #"{\#(type)"captureAmount":{"currency":"USD","value":"50"},"captureId":"CAP-1","#
                + #""captureRequestId":"CR-1","captureTime":"2025-01-01T00:00:00Z","#
                + #""paymentId":"PAY-1","#
                + Self.result(result) + "}")
        #expect(notification.id == "capture:CAP-1:\(result)")
        #expect(notification.kind == "capture" && notification.status == word)
        #expect(notification.transaction == "PAY-1" && notification.reference == nil)
        #expect(notification.effect == .capture(id: "CAP-1", status, .of(50, "USD")))
    }

    @Test(arguments: [
        (#""notifyType":"REFUND_RESULT","#, "SUCCESS", ActionStatus.succeeded, [] as [Flag]),
        (#""notifyType":"REFUND_RESULT","#, "FAIL", .failed, []), ("", "SUCCESS", .succeeded, []),
        ("", "PROCESSING", .pending, []), ("", "REVERSED", .pending, [.unknownStatus]),
    ])
    func refunds(_ type: String, _ word: String, _ status: ActionStatus, _ flags: [Flag]) {
        // `result` is about the call here; `refundStatus` decides.
        let notification = read(
            #"{\#(type)"refundAmount":{"currency":"USD","value":"50"},"refundId":"REF-1","#
                + #""refundRequestId":"RR-1","refundStatus":"\#(word)",\#(Self.result("S"))}"#)
        #expect(notification.id == "refund:REF-1:\(word)")
        #expect(notification.effect == .refund(id: "REF-1", status, .of(50, "USD")))
        #expect(notification.flags == flags && notification.transaction == nil)
    }

    @Test(arguments: [
        ("DISPUTE_CREATED", nil as String?, DisputeStatus.open, [] as [Flag]),
        ("DEFENSE_SUPPLIED", nil, .open, []), ("DEFENSE_DUE_ALERT", nil, .open, []),
        ("DISPUTE_CANCELLED", nil, .closed, []), ("DISPUTE_ACCEPTED", nil, .lost, []),
        ("RDR_RESOLVED", nil, .lost, []), ("DISPUTE_JUDGED", "ACCEPT_BY_CUSTOMER", .won, []),
        ("DISPUTE_JUDGED", "ACCEPT_BY_MERCHANT", .lost, []),
        ("DISPUTE_JUDGED", "VALIDATE_SUCCESS", .closed, []),
        ("DISPUTE_JUDGED", "VALIDATE_FAIL", .closed, [.unknownStatus]),
        ("DISPUTE_JUDGED", nil, .closed, [.unknownStatus]),
        ("DISPUTE_REBORN", nil, .open, [.unknownStatus]),
    ])
    func disputes(_ type: String, _ judged: String?, _ status: DisputeStatus, _ flags: [Flag]) {
        let result = judged.map { #""disputeJudgedResult":"\#($0)","# } ?? ""
        let notification = read(
            #"{"disputeNotificationType":"\#(type)",\#(result)"disputeId":"D-1",\#(Self.ids),"#
                + #""disputeAmount":{"currency":"KRW","value":"14204"}}"#)
        #expect(notification.kind == "dispute" && notification.flags == flags)
        #expect(notification.effect == .dispute(id: "D-1", status, .of(14204, "KRW")))
        #expect(notification.reference == "REQ-1" && notification.transaction == "PAY-1")
        #expect(notification.id == "dispute:D-1:\(type)" + (judged.map { ":\($0)" } ?? ""))
    }

    @Test(arguments: [
        (
            #"{"authorizationNotifyType":"TOKEN_CREATED","authState":"s"}"#, "agreement",
            "TOKEN_CREATED"
        ),
        (
            #"{"subscriptionNotificationType":"CREATE","subscriptionId":"S1","phaseNo":"2"}"#,
            "subscription", "CREATE"
        ),
        (#"{"vaultingRequestId":"V","result":{"resultStatus":"S"}}"#, "vaulting", "S"),
        (#"{"transferId":"T","transferResult":{"resultStatus":"F"}}"#, "transfer", "F"),
        (
            #"{"notifyType":"REGISTRATION_RESULT","registrationRequestId":"R"}"#, "registration",
            "REGISTRATION_RESULT"
        ),
        (
            #"{"notifyType":"SETTLEMENT_RESULT","settlementBatchId":"B"}"#, "settlement",
            "SETTLEMENT_RESULT"
        ),
    ])
    func `kinds without an order have no effect`(_ body: String, _ kind: String, _ status: String) {
        let notification = read(body)
        #expect(notification.kind == kind && notification.status == status)
        #expect(notification.effect == .none && notification.flags.isEmpty)
    }

    /// An unknown type with the ids and the `S` of a payment.
    @Test(arguments: [
        #""notifyType":"PAYMENT_RESULT_V2","#, #""notifyType":7,"#, #""notifyType":null,"#, "",
        #""notifyType":"payment_result","#,
    ])
    func `only the type makes a payment`(_ type: String) {
        let notification = read("{\(type)\(Self.amount)\(Self.ids),\(Self.result("S"))}")
        #expect(notification.effect == .none)
        #expect(notification.flags == [.unknownKind])
    }

    @Test func `a retry has the same identity and another status another`() throws {
        let fixture = AntomFixture.shared
        let first = try fixture.provider.receive(fixture.delivery(body: Self.paid))
        let retry = try fixture.provider.receive(
            fixture.delivery(body: Self.paid, time: "2025-05-18T00:00:00Z"))
        #expect(first == retry)
        let failed = read(
            Self.paid.replacing(#""resultStatus":"S""#, with: #""resultStatus":"F""#))
        #expect(failed.id != first.id)
    }
}
