import Bytes
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Questions to Square, and its answers.
@Suite struct SquareInquiryTests {
    private let now = Timestamp(microseconds: 1_790_000_000_000_000)
    private let fixture: ProviderFixture
    private let world: RespondingWorld

    init() throws {
        fixture = try #require(ProviderFixture.named("square"))
        world = try RespondingWorld(fixture)
    }

    private func finding(
        _ answers: [String], status: Int = 200, about id: String = "P1",
        _ subject: InquiryQuestion.Subject = .payment
    ) throws -> (finding: InquiryFinding, asked: [InquiryRequest]) {
        try world.inquirer.finding(
            InquiryQuestion(subject, by: .transaction, id, reference: "R"), answers,
            status: status, now: now)
    }

    private func payment(_ status: String, id: String = "P1", more: String = "") -> String {
        #"{"payment":{"id":"\#(id)","created_at":"2026-09-20T10:00:00.000Z","#
            + #""updated_at":"2026-09-20T10:00:05.000Z","#
            + #""amount_money":{"amount":4000,"currency":"USD"},"#
            + #""total_money":{"amount":4200,"currency":"USD"},"status":"\#(status)","#
            + #""source_type":"CARD","order_id":"O1","reference_id":"R"\#(more)}}"#
    }

    private func refund(_ status: String, id: String, of payment: String = "P1") -> String {
        #"{"refund":{"id":"\#(id)","status":"\#(status)","payment_id":"\#(payment)","#
            + #""amount_money":{"amount":1000,"currency":"USD"},"#
            + #""created_at":"2026-09-21T10:00:00.000Z"}}"#
    }

    private let whole = Money.of(4200, "USD")
    private let part = Money.of(1000, "USD")

    @Test func `a payment is read with its refunds`() throws {
        let (found, asked) = try finding(
            [
                payment("COMPLETED", more: #","refund_ids":["F1","F2","F3"]"#),
                refund("COMPLETED", id: "F1"), refund("PENDING", id: "F2"),
                refund("REJECTED", id: "F3"),
            ])
        #expect(found.verdict == .answered && found.trust == .tls)
        #expect(
            found.effects == [
                .attempt(.paid, whole), .refund(id: "F1", .succeeded, part),
                .refund(id: "F2", .pending, part), .refund(id: "F3", .failed, part),
            ])
        #expect(found.facts.map(\.exchange) == [0, 1, 2, 3])
        #expect(found.facts.allSatisfy { $0.notification.transaction == "P1" })
        #expect(found.facts[0].notification.reference == "R")
        #expect(found.facts[0].notification.method == "CARD")
        #expect(found.facts.allSatisfy { $0.notification.id.hasPrefix("inquiry:") })
        #expect(
            asked.map(\.target) == [
                "/v2/payments/P1", "/v2/refunds/F1", "/v2/refunds/F2", "/v2/refunds/F3",
            ])
        #expect(asked.allSatisfy { $0.method == "GET" && $0.isBearer("accessToken_of_first") })
    }

    @Test func `each status has the effect of its event`() throws {
        for (status, effect) in [
            ("APPROVED", .authorized), ("COMPLETED", .paid), ("PENDING", .pending),
            ("CANCELED", .canceled), ("FAILED", .failed),
        ] as [(String, AttemptStatus)] {
            let (found, _) = try finding([payment(status)])
            #expect(found.effects == [.attempt(effect, whole)], "\(status)")
        }
        let (unknown, _) = try finding([payment("VANISHED")])
        #expect(unknown.facts.map(\.notification.flags) == [[.unknownStatus]])
    }

    /// A tip changes the sum, and a refund the refunded one, and the status stays.
    @Test func `the same status with other sums is another fact`() throws {
        let bodies = [
            payment("COMPLETED"),
            payment("COMPLETED").replacing("4200", with: "4300"),
            payment("COMPLETED", more: #","refunded_money":{"amount":1000,"currency":"USD"}"#),
        ]
        let facts = try bodies.map { try finding([$0]).finding.facts[0] }
        #expect(Set(facts.map(\.notification.id)).count == 3)
        #expect(facts[2].notification.refundedAtLeast == part)
    }

    @Test func `a refund is asked about by its own id`() throws {
        let (found, asked) = try finding(
            [refund("COMPLETED", id: "P1_F7")], about: "P1_F7", .refund)
        #expect(found.effects == [.refund(id: "P1_F7", .succeeded, part)])
        #expect(asked.map(\.target) == ["/v2/refunds/P1_F7"])
    }

    @Test func `anything else is no answer`() throws {
        let refunded = payment("COMPLETED", more: #","refund_ids":["F1"]"#)
        let ids = (1...51).map { "\"F\($0)\"" }.joined(separator: ",")
        for (answers, status, verdict) in [
            (["<html>"], 200, .retry), (["{}"], 200, .retry), ([""], 500, .retry),
            ([""], 429, .retry), (["{}"], 401, .denied), (["{}"], 403, .denied),
            (["{}"], 404, .absent), ([payment("COMPLETED", id: "P2")], 200, .untrusted),
            ([payment("COMPLETED").replacing("4200", with: "42.00")], 200, .unreadable),
            ([refunded, "{}"], 200, .retry),
            ([refunded, refund("COMPLETED", id: "F2")], 200, .untrusted),
            ([refunded, refund("COMPLETED", id: "F1", of: "P2")], 200, .untrusted),
            // A part of the refunds would be a wrong sum.
            ([payment("COMPLETED", more: #","refund_ids":[\#(ids)]"#)], 200, .unreadable),
            ([payment("COMPLETED", more: #","refund_ids":["a/b"]"#)], 200, .unreadable),
        ] as [([String], Int, InquiryVerdict)] {
            let (found, _) = try finding(answers, status: status)
            #expect(found.verdict == verdict && found.facts.isEmpty, "\(answers): \(found)")
        }
        for value in ["", "P1/..", "P1?a", String(repeating: "P", count: 256)] {
            let question = InquiryQuestion(by: .transaction, value)
            #expect(throws: InquiryError.self) {
                _ = try world.inquirer.next(InquiryConversation(question), now: now)
            }
        }
    }

    private static let lives: [[EventType]] = [
        [.pending, .paid], [.pending, .failed], [.canceled], [.authorized, .paid],
        [.paid, .refunded], [.paid, .refundPending], [.paid, .refundFailed],
        [.paid, .refundPending, .refunded],
    ]

    @Test(arguments: lives)
    func `answers and notifications join, whichever comes first`(_ types: [EventType]) throws {
        let life = try #require(try world.life(types))
        let told = try world.notifications(life)
        let id = try #require(told[0].transaction)
        let facts = try world.ask(life, by: .transaction, id).facts.map(\.notification)
        let truth = SampleState(life)
        #expect(try world.complaints(facts, truth) == [])
        #expect(try world.complaints(told + facts, truth) == [])
        #expect(try world.complaints(facts + told, truth) == [])
    }

    @Test func `the mode chooses the system`() throws {
        let inquiry = try #require(fixture.descriptor.inquiry)
        var settings = EndpointSettings(name: "square")
        #expect(inquiry.defaultURL(settings) == "https://connect.squareup.com")
        settings["mode"] = .text("test")
        #expect(inquiry.defaultURL(settings) == "https://connect.squareupsandbox.com")
        #expect(inquiry.firstQuestions.isEmpty)
    }
}
