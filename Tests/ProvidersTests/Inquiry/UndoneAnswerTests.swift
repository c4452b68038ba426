import Payments
import Testing

@testable import Providers

/// Answers that list several operations, some of them undone or declined.
@Suite struct UndoneAnswerTests {
    /// The order after the facts; it must be the same in reverse.
    private func order(_ facts: [Notification]) -> Order {
        let forward = facts.reduce(Order(reference: "R-1")) { $0.applying($1) }
        let backward = facts.reversed().reduce(Order(reference: "R-1")) { $0.applying($1) }
        #expect(forward == backward)
        return forward
    }

    private static let paid = Notification(
        id: "payment", kind: "payment", status: "paid", reference: "R-1", transaction: "P-1",
        effect: .attempt(.paid, .of(4200, "EUR")))

    private static func canceled(_ transactions: String) -> String {
        #"{"result":{"resultStatus":"S","resultCode":"SUCCESS"},"paymentStatus":"CANCELLED","#
            + #""paymentRequestId":"R-1","paymentId":"P-1","#
            + #""paymentAmount":{"currency":"EUR","value":"4200"},"transactions":\#(transactions)}"#
    }

    private static func cancel(_ status: String, _ type: String = "CANCEL") -> String {
        #"[{"transactionType":"\#(type)","transactionStatus":"\#(status)","#
            + #""transactionId":"C-1","transactionAmount":{"currency":"EUR","value":"4200"}}]"#
    }

    private func antom(_ body: String) throws -> [Notification] {
        try InquiryFixture("antom").finding(body).facts.map(\.notification)
    }

    @Test(arguments: ["CANCEL", "VOID"])
    func `a completed payment that Antom canceled is refunded`(type: String) throws {
        let facts = try antom(Self.canceled(Self.cancel("SUCCESS", type)))
        #expect(facts.count == 2)
        let refunded = order([Self.paid] + facts)
        #expect(refunded.status == .refunded && refunded.flags.isEmpty)
        #expect(refunded.refunded == .of(4200, "EUR"))
        // Without a report that it was paid.
        let canceled = order(facts)
        #expect(canceled.status == .canceled && canceled.flags.isEmpty)
        #expect(canceled.refunded?.minor == 0 && canceled.summary.captured?.minor == 0)
    }

    @Test(arguments: ["null", "[]", cancel("FAIL"), cancel("PROCESSING")])
    func `without the money's way back paid and canceled is contradicted`(list: String) throws {
        let order = order([Self.paid] + (try antom(Self.canceled(list))))
        #expect(order.status == .paid && order.flags == [.contradicted])
    }

    @Test func `a raised authorization is a total`() throws {
        let body =
            #"{"result":{"resultStatus":"S","resultCode":"SUCCESS"},"#
            + #""notifyType":"UPDATE_AMOUNT_RESULT","paymentId":"P-1","paymentRequestId":"R-1","#
            + #""updateRequestId":"U-1","paymentAmount":{"currency":"EUR","value":"5000"}}"#
        let update = AntomInterpretation.notification(body: Array(body.utf8), capture: .manual)
        #expect(update.effect == .reversal(.total, id: "U-1", .succeeded, .of(5000, "EUR")))
        #expect(update.status == "amount_updated" && update.transaction == "P-1")
        var held = Self.paid
        held.effect = .attempt(.authorized, .of(4200, "EUR"))
        let order = order([held, update])
        #expect(order.status == .authorized && order.flags.isEmpty)
        #expect(order.summary.authorized == .of(5000, "EUR"))
    }

    // MARK: ecommpay

    private func ecommpay(_ status: String, _ operations: [(String, String, Int)]) throws -> Order {
        let list = operations.enumerated().map { number, operation in
            #"{"id":\#(number + 1),"type":"\#(operation.0)","status":"\#(operation.1)","#
                + #""sum_initial":{"amount":\#(operation.2),"currency":"EUR"}}"#
        }
        let body =
            #"{"project_id":115,"payment":{"id":"R-1","type":"purchase","#
            + #""status":"\#(status)","sum":{"amount":1000,"currency":"EUR"}},"#
            + #""operations":[\#(list.joined(separator: ","))]}"#
        let finding = try InquiryFixture("ecommpay").finding(body)
        #expect(finding.verdict == .answered)
        return order(finding.facts.map(\.notification))
    }

    @Test(arguments: ["decline", "error", "expired", "canceled", "awaiting 3ds result"])
    func `a try that came to nothing is not read by the payment's status`(word: String) throws {
        for type in ["sale", "auth"] {
            let held = try ecommpay(
                "awaiting capture", [(type, word, 1000), ("auth", "success", 1000)])
            #expect(held.status == .authorized && held.flags.isEmpty)
            #expect(held.summary.authorized == .of(1000, "EUR"))
            let paid = try ecommpay("success", [(type, word, 1000), ("sale", "success", 1000)])
            #expect(paid.status == .paid && paid.flags.isEmpty)
            #expect(paid.amount == .of(1000, "EUR"))
        }
    }

    @Test func `an increment raises what is authorised`() throws {
        let order = try ecommpay(
            "success",
            [
                ("auth", "success", 1000), ("incremental", "success", 1500),
                ("capture", "success", 2500),
            ])
        #expect(order.status == .paid && order.flags.isEmpty)
        #expect(order.summary.authorized == .of(2500, "EUR"))
    }
}
