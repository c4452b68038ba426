import Bytes
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Questions to GoCardless, and its answers.
@Suite struct GoCardlessInquiryTests {
    private let now = Timestamp(microseconds: 1_790_000_000_000_000)
    private let world: RespondingWorld

    init() throws {
        world = try RespondingWorld(.gocardless)
    }

    /// - Parameter answers: In the order of the questions; all are asked.
    private func finding(
        _ answers: [String], status: Int = 200,
        to question: InquiryQuestion = InquiryQuestion(by: .transaction, "PM1", reference: "R")
    ) throws -> (finding: InquiryFinding, asked: [InquiryRequest]) {
        try world.inquirer.finding(question, answers, status: status, now: now)
    }

    private func payment(_ status: String, id: String = "PM1", _ amount: String = "4200") -> String
    {
        #"{"payments":{"id":"\#(id)","created_at":"2026-09-20T10:00:00.000Z","amount":\#(amount),"#
            + #""amount_refunded":0,"currency":"GBP","status":"\#(status)","#
            + #""metadata":{"order_id":"R"},"links":{"mandate":"MD1"}}}"#
    }

    private func refunds(
        _ statuses: [String], of payment: String = "PM1", after: String = "null"
    ) -> String {
        let list = statuses.enumerated().map {
            #"{"id":"RF\#($0)","created_at":"2026-09-21T10:00:00.000Z","amount":1000,"#
                + #""currency":"GBP","status":"\#($1)","metadata":{"order_id":"another"},"#
                + #""links":{"payment":"\#(payment)"}}"#
        }
        return #"{"refunds":[\#(list.joined(separator: ","))],"#
            + #""meta":{"cursors":{"before":null,"after":\#(after)},"limit":500}}"#
    }

    private let whole = Money.of(4200, "GBP")
    private let part = Money.of(1000, "GBP")

    @Test func `a payment is read with its refunds and their sums`() throws {
        let (found, asked) = try finding(
            [payment("confirmed"), refunds(["paid", "submitted", "bounced", "funds_returned"])])
        #expect(found.verdict == .answered && found.trust == .tls)
        #expect(
            found.effects == [
                .attempt(.paid, whole), .refund(id: "RF0", .succeeded, part),
                .refund(id: "RF1", .pending, part), .refund(id: "RF2", .failed, part),
                .refund(id: "RF3", .failed, part),
            ])
        #expect(found.facts.map(\.exchange) == [0, 1, 1, 1, 1])
        #expect(found.facts.allSatisfy { $0.notification.transaction == "PM1" })
        // A refund has metadata of its own, which are not the order's.
        #expect(found.facts.map(\.notification.reference) == ["R", nil, nil, nil, nil])
        #expect(found.facts.allSatisfy { $0.notification.id.hasPrefix("inquiry:") })
        #expect(
            asked.map(\.target) == ["/payments/PM1", "/refunds?payment=PM1&limit=500"])
        for request in asked {
            #expect(request.isBearer("accessToken_of_first"))
            #expect(request.headers.contains(Header("gocardless-version", "2015-07-06")))
        }
    }

    @Test func `each status has the effect of its event`() throws {
        for (status, effect) in [
            ("pending_customer_approval", .pending), ("pending_submission", .pending),
            ("submitted", .pending), ("cancelled", .canceled),
            ("customer_approval_denied", .failed), ("failed", .failed),
        ] as [(String, AttemptStatus)] {
            let (found, _) = try finding([payment(status)])
            #expect(found.effects == [.attempt(effect, whole)], "\(status)")
        }
        for status in ["confirmed", "paid_out"] {
            let (found, _) = try finding([payment(status), refunds([])])
            #expect(found.effects == [.attempt(.paid, whole)], "\(status)")
        }
        let (back, _) = try finding([payment("charged_back"), refunds([])])
        #expect(
            back.effects == [
                .attempt(.paid, whole), .dispute(id: "chargeback:PM1", .lost, whole),
            ])
        let (unknown, _) = try finding([payment("vanished")])
        #expect(unknown.effects == [.attempt(.pending, whole)])
        #expect(unknown.facts[0].notification.flags == [.unknownStatus])
        #expect(unknown.facts[0].notification.status == "vanished")
    }

    @Test func `a refund is asked about by its own id`() throws {
        let answer =
            #"{"refunds":{"id":"RF7","amount":1000,"currency":"GBP","status":"paid","#
            + #""created_at":"2026-09-21T10:00:00.000Z","links":{"payment":"PM1"}}}"#
        let question = InquiryQuestion(.refund, by: .transaction, "RF7")
        let (found, asked) = try finding([answer], to: question)
        #expect(found.effects == [.refund(id: "RF7", .succeeded, part)])
        #expect(asked.map(\.target) == ["/refunds/RF7"])
    }

    @Test func `anything else is no answer`() throws {
        for (answers, status, verdict) in [
            (["<html>"], 200, .retry), (["{}"], 200, .retry), ([""], 500, .retry),
            ([""], 429, .retry), (["{}"], 401, .denied), (["{}"], 403, .denied),
            (["{}"], 404, .absent), ([payment("confirmed", id: "PM2")], 200, .untrusted),
            ([payment("failed", "-1")], 200, .unreadable),
            ([payment("failed", "42.00")], 200, .unreadable),
            ([payment("failed", "\"4200\"")], 200, .unreadable),
            ([payment("confirmed"), "{}"], 200, .retry),
            ([payment("confirmed"), refunds(["paid"], of: "PM2")], 200, .untrusted),
            // A part of the refunds would be a wrong sum.
            ([payment("confirmed"), refunds(["paid"], after: "\"RF0\"")], 200, .unreadable),
        ] as [([String], Int, InquiryVerdict)] {
            let (found, _) = try finding(answers, status: status)
            #expect(found.verdict == verdict && found.facts.isEmpty, "\(answers)")
        }
        for value in ["", "PM1/..", "PM1?a", "chargeback:PM1", String(repeating: "P", count: 65)] {
            let question = InquiryQuestion(by: .transaction, value)
            #expect(throws: InquiryError.self) {
                _ = try world.inquirer.next(InquiryConversation(question), now: now)
            }
        }
    }

    private static let lives: [[EventType]] = [
        [.pending, .paid], [.pending, .failed], [.canceled], [.paid, .refunded],
        [.paid, .refundPending], [.paid, .refundFailed], [.paid, .chargedBack],
    ]

    /// Notifications have no sums; with the answer every sum is right, whichever comes first.
    @Test(arguments: lives)
    func `the answer has the sums that notifications leave out`(_ types: [EventType]) throws {
        let life = try #require(try world.life(types))
        let told = try world.notifications(life)
        #expect(told.allSatisfy { $0.effect.amount == nil })
        let id = try #require(told[0].transaction)
        let facts = try world.ask(life, by: .transaction, id).facts.map(\.notification)
        let truth = SampleState(life)
        #expect(try world.complaints(told + facts, truth) == [])
        #expect(try world.complaints(facts + told, truth) == [])
    }

    @Test func `the token chooses the system`() throws {
        let inquiry = try #require(ProviderFixture.gocardless.descriptor.inquiry)
        var settings = EndpointSettings(name: "gocardless")
        settings["accessToken", .inquiry] = "live_1"
        #expect(inquiry.defaultURL(settings) == "https://api.gocardless.com")
        settings["accessToken", .inquiry] = "sandbox_1"
        #expect(inquiry.defaultURL(settings) == "https://api-sandbox.gocardless.com")
        #expect(inquiry.firstQuestions == [1, 10])
    }
}
