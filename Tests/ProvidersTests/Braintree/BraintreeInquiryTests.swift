import Bytes
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Questions to Braintree, and its answers.
@Suite struct BraintreeInquiryTests {
    private let now = Timestamp(microseconds: 1_790_000_000_000_000)
    private let inquirer: BraintreeInquirer

    init() throws {
        inquirer = try BraintreeInquirer(settings: ProviderFixture.braintree.endpoint.settings)
    }

    private let byID = InquiryQuestion(by: .transaction, "t1", reference: "R")
    private let byReference = InquiryQuestion(by: .reference, "R")

    /// - Parameter answers: Bodies, in the order of the questions; all are asked.
    private func finding(
        _ question: InquiryQuestion, _ answers: [String], status: Int = 200
    ) throws -> InquiryFinding {
        try inquirer.finding(question, answers, status: status, now: now).finding
    }

    private func sale(
        _ id: String = "t1", _ status: String = "settled", order: String = "R", _ more: String = ""
    ) -> String {
        "<transaction><id>\(id)</id><status>\(status)</status><type>sale</type>"
            + "<amount>42.00</amount><order-id>\(order)</order-id>"
            + "<updated-at>2026-09-21T14:00:00Z</updated-at>\(more)</transaction>"
    }

    private func credit(
        _ id: String, of parent: String = "t1", _ status: String = "settled"
    ) -> String {
        "<transaction><id>\(id)</id><status>\(status)</status><type>credit</type>"
            + "<amount>10.00</amount><order-id>R</order-id>"
            + "<refunded-transaction-id>\(parent)</refunded-transaction-id></transaction>"
    }

    private func list(_ name: String, _ ids: String...) -> String {
        let items = ids.map { "<item>\($0)</item>" }.joined()
        return "<\(name) type=\"array\">\(items)</\(name)>"
    }

    private func results(_ ids: String) -> String {
        "<search-results><page-size>50</page-size>\(ids)</search-results>"
    }

    private func found(_ transactions: String...) -> String {
        "<credit-card-transactions type=\"collection\"><page-size>50</page-size>"
            + transactions.joined() + "</credit-card-transactions>"
    }

    private func effects(_ finding: InquiryFinding) -> [Effect] {
        finding.facts.map(\.notification.effect)
    }

    private let euros = Money.of(4200, "EUR")
    private let ten = Money.of(1000, "EUR")

    @Test func `a transaction is read with its refunds and disputes`() throws {
        let alone = try finding(byID, [sale()])
        #expect(alone.verdict == .answered && alone.trust == .tls)
        #expect(effects(alone) == [.attempt(.paid, euros)])
        #expect(alone.facts[0].notification.reference == "R")
        let disputes =
            "<disputes><dispute><id>d</id><status>open</status><kind>chargeback</kind>"
            + "<amount-disputed>42.00</amount-disputed></dispute></disputes>"
        let whole = try finding(
            byID,
            [
                sale("t1", "settled", disputes + list("refund-ids", "r1", "r2")),
                found(credit("r2", of: "t1", "settling"), credit("r1")),
            ])
        #expect(
            effects(whole) == [
                .attempt(.paid, euros), .dispute(id: "d", .open, euros),
                .refund(id: "r2", .pending, ten), .refund(id: "r1", .succeeded, ten),
            ])
        #expect(whole.facts.map(\.exchange) == [0, 0, 1, 1])
        #expect(whole.facts.allSatisfy { $0.notification.transaction == "t1" })
    }

    @Test func `all transactions with the reference are read`() throws {
        let ids = results(list("ids", "t1", "t2", "r1", "r9"))
        // The last is a refund of another order's payment.
        let one = found(
            sale("t1", "processor_declined"),
            sale("t2", "settled", list("refund-ids", "r1", "r2")), credit("r1", of: "t2"),
            credit("r9", of: "t9"))
        let finding = try finding(byReference, [ids, one, found(credit("r2", of: "t2"))])
        #expect(
            effects(finding) == [
                .attempt(.failed, euros), .attempt(.paid, euros),
                .refund(id: "r1", .succeeded, ten), .refund(id: "r2", .succeeded, ten),
            ])
        // Each is in the answer that is recorded with it.
        #expect(finding.facts.map(\.exchange) == [1, 1, 1, 2])
        #expect(try self.finding(byReference, [results(list("ids"))]).verdict == .absent)
        let refundsOnly = [results(list("ids", "r9")), found(credit("r9", of: "t9"))]
        #expect(try self.finding(byReference, refundsOnly).verdict == .absent)
    }

    @Test func `an answer about something else is not read`() throws {
        let one = results(list("ids", "t1"))
        for (question, answers) in [
            (byID, [sale("t2")]), (byID, [credit("t1")]),
            (byID, [sale("t1", "settled", list("refund-ids", "r1")), found()]),
            (byID, [sale("t1", "settled", list("refund-ids", "r1")), found(credit("r2"))]),
            (byReference, [one, found(sale("t2"))]), (byReference, [one, found()]),
            (byReference, [one, found(sale(order: "R-2"))]),
        ] as [(InquiryQuestion, [String])] {
            let finding = try finding(question, answers)
            #expect(finding.verdict == .untrusted && finding.facts.isEmpty, "\(answers)")
        }
    }

    @Test func `what cannot be read is no fact`() throws {
        let many = (0...50).map { "<item>r\($0)</item>" }.joined()
        for (answer, verdict) in [
            (sale().replacing("42.00", with: "42,00"), .unreadable),
            (sale("t1", "settled", "<refund-ids>\(many)</refund-ids>"), .unreadable),
            ("<html><body/></html>", .retry), ("<transaction>", .retry), ("", .retry),
        ] as [(String, InquiryVerdict)] {
            let finding = try finding(byID, [answer])
            #expect(finding.verdict == verdict && finding.facts.isEmpty, "\(answer)")
        }
        for (status, verdict) in [
            (401, .denied), (403, .denied), (404, .absent), (429, .retry), (503, .retry),
        ] as [(Int, InquiryVerdict)] {
            #expect(try finding(byID, [sale()], status: status).verdict == verdict, "\(status)")
        }
        let unknown = try finding(byID, [sale("t1", "vanished")])
        #expect(unknown.facts.map(\.notification.flags) == [[.unknownStatus]])
        #expect(effects(unknown) == [.attempt(.pending, nil)])
        #expect(throws: InquiryError.self) {
            try inquirer.next(
                InquiryConversation(InquiryQuestion(.refund, by: .transaction, "r")), now: now)
        }
    }

    /// The responder's answers, notifications, and both give the same order.
    @Test(
        arguments: [
            [.paid], [.pending], [.failed], [.authorized], [.canceled], [.expired],
            [.authorized, .paid], [.pending, .paid], [.paid, .refunded], [.paid, .refundFailed],
            [.paid, .disputed], [.paid, .disputed, .chargedBack], [.paid, .disputed, .disputeWon],
        ] as [[EventType]])
    func `answers and notifications agree`(_ types: [EventType]) throws {
        let world = try RespondingWorld(.braintree)
        let life = try #require(try world.life(types))
        let truth = SampleState(life)
        let told = try world.notifications(life)
        #expect(try world.complaints(told, truth).isEmpty, "notifications")
        let transaction = life.events[0].transaction
        for finding in [try world.ask(life), try world.ask(life, by: .transaction, transaction)] {
            #expect(finding.verdict == .answered, "\(finding)")
            let facts = finding.facts.map(\.notification)
            #expect(try world.complaints(facts, truth).isEmpty, "the answer alone")
            #expect(try world.complaints(told + facts, truth).isEmpty, "notifications first")
            #expect(try world.complaints(facts + told, truth).isEmpty, "answer first")
        }
        let stranger = try RespondingWorld(.braintree, isStranger: true)
        #expect(try world.ask(life, as: stranger.inquirer).verdict == .denied)
        #expect(try world.ask(nil).verdict == .absent)
    }
}
