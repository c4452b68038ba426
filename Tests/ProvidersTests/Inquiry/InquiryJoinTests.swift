import Bytes
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Rules 5, 7 and 8: ids join with notifications, and credentials stay secret.
@Suite struct InquiryJoinTests {
    // MARK: 5. One answer, many facts

    /// The answer and the notification about the same payment, in both orders of arrival.
    @Test(arguments: ProviderFixture.inquired)
    func `an answer and a late notification join`(_ system: ProviderFixture) throws {
        var event = SampleEvent.sample(.paid)
        event.reference = "R-1"
        event.transaction = "T-1"
        event.money = Money.of(4200, "EUR")
        let notification = try Self.notification(event, system)
        let fixture = try InquiryFixture(system)
        let body = fixture.inquiry.joined(fixture.paid(), notification.transaction)
        let facts = try fixture.finding(body).facts.map(\.notification)
        #expect(!facts.isEmpty && facts.allSatisfy { $0.id != notification.id })
        for events in [facts + [notification], [notification] + facts] {
            let order = events.reduce(Order()) { $0.applying($1) }
            #expect(order.attempts.count == 1)
            #expect(order.summary.status == .paid)
            #expect(order.summary.amount == Money.of(4200, "EUR"))
            #expect(order.summary.flags.isEmpty)
        }
    }

    /// After a notification with another amount, the smaller one counts and the order needs review.
    @Test(arguments: ProviderFixture.inquired)
    func `another sum is a contradiction`(_ system: ProviderFixture) throws {
        var event = SampleEvent.sample(.paid)
        event.reference = "R-1"
        event.transaction = "T-1"
        event.money = Money.of(4100, "EUR")
        let notification = try Self.notification(event, system)
        let fixture = try InquiryFixture(system)
        let body = fixture.inquiry.joined(fixture.paid(), notification.transaction)
        let facts = try fixture.finding(body).facts.map(\.notification)
        for events in [facts + [notification], [notification] + facts] {
            let order = events.reduce(Order()) { $0.applying($1) }
            #expect(order.summary.status == .review)
            #expect(order.summary.amount == event.money)
            #expect(order.summary.flags.contains(.amountsDiffer))
        }
    }

    @Test(arguments: ProviderFixture.inquired.filter { $0.inquiry?.refundedMember != nil })
    func `a total is a bound and no refund`(_ system: ProviderFixture) throws {
        let fixture = try InquiryFixture(system)
        let member = try #require(fixture.inquiry.refundedMember)
        let body = fixture.paid()
            .replacing("\"currency\"", with: "\"\(member)\":1000,\"currency\"")
        let facts = try fixture.finding(body).facts.map(\.notification)
        #expect(facts.count == 1)
        #expect(facts.first?.refundedAtLeast == Money.of(1000, "EUR"))
        // The later notification of the refund is the same money and does not add to it.
        var order = facts.reduce(Order()) { $0.applying($1) }
        order.apply(
            Notification(
                id: "x", kind: "refund", status: "succeeded", transaction: "T-1",
                effect: .refund(id: "RF", .succeeded, Money.of(1000, "EUR"))))
        #expect(order.summary.refunded == Money.of(1000, "EUR"))
        #expect(order.summary.status == .partiallyRefunded)
    }

    @Test func `every entity is asked and unknown only where all say so`() throws {
        let entities = [InquiryFixture.entity, String(repeating: "f", count: 32)]
        let fixture = try InquiryFixture("opp", entityIDs: entities)
        let absent = #"{"result":{"code":"700.400.580"}}"#
        let paid = fixture.paid()
        #expect(try fixture.finding([absent, absent]).verdict == .absent)
        for bodies in [[absent, paid], [paid, absent]] {
            let finding = try fixture.finding(bodies)
            #expect(finding.verdict == .answered && finding.facts.count == 1)
            #expect(finding.facts.first?.exchange == bodies.firstIndex(of: paid))
        }
        let throttled = #"{"result":{"code":"800.120.100"}}"#
        #expect(try fixture.finding([paid, throttled]).verdict == .retry)
    }

    @Test func `a report of several pages is not taken for the whole`() throws {
        let body = try InquiryFixture.paid("opp").replacing(
            "\"payments\"", with: "\"pages\":2,\"records\"")
        let finding = try InquiryFixture("opp").finding(body)
        #expect(finding.verdict == .unreadable && finding.reason == "several_pages")
    }

    private static func notification(
        _ event: SampleEvent, _ system: ProviderFixture
    ) throws -> Notification {
        let sender = try system.descriptor.makeSender(system.endpoint.settings)
        let delivery = try sender.sign(event, path: "/ipn").delivery
        return try system.descriptor.make(system.endpoint.settings).receive(delivery)
    }

    // MARK: 7. The host is fixed

    static let names = [
        "R/1", "R?1", "R#1", "R&entityId=x", "../..", "//evil.example", "R 1", "R%2F", "ä\"\\",
        "@h",
    ]

    @Test(arguments: ProviderFixture.inquired, names)
    func `no reference changes where it is asked`(_ system: ProviderFixture, _ name: String) throws
    {
        let inquirer = try InquiryFixture(system).inquirer
        var conversation = InquiryConversation(InquiryQuestion(by: .reference, name))
        conversation.token = InquiryToken("t", expires: Timestamp(microseconds: .max))
        let step = try inquirer.next(conversation, now: InquiryFixture.moment)
        guard case .ask(let request) = step else {
            Issue.record("\(step)")
            return
        }
        let plain = InquiryConversation(
            InquiryQuestion(by: .reference, "PLAIN"), token: conversation.token)
        guard case .ask(let other) = try inquirer.next(plain, now: InquiryFixture.moment) else {
            return
        }
        let value = PercentEncoding.encode(Array(name.utf8))
        #expect(request.target == other.target.replacing("PLAIN", with: value))
        #expect(request.target.hasPrefix("/") && !request.target.hasPrefix("//"))
        // In a JSON body the name is one string.
        if let text = (try? JSONDocument(parsing: request.body))?.root {
            let texts =
                text.members.map(\.value.string)
                + (text["general"]?.members.map(\.value.string) ?? [])
            #expect(texts.contains(name))
        }
    }

    // MARK: 8. Credentials stay here

    @Test(arguments: ProviderFixture.inquired)
    func `no description shows a credential`(_ system: ProviderFixture) throws {
        let fixture = try InquiryFixture(system)
        let conversation = InquiryConversation(InquiryQuestion(by: .reference, "R-1"))
        let step = try fixture.inquirer.next(conversation, now: InquiryFixture.moment)
        guard case .ask(let request) = step else { return }
        var dumped = "\(request) \(step) \(String(reflecting: request))"
        dump(request, to: &dumped)
        for secret in ["sk-private", "opp-token", "project-secret", "Bearer"] {
            #expect(!dumped.contains(secret))
        }
        #expect(request.recordedHeaders.search("authorization") == nil)
        #expect(request.recordedHeaders.count <= request.headers.count)
    }

    @Test func `a token is fetched anew once and no oftener`() throws {
        let inquirer = try InquiryFixture("citcon-upi").inquirer
        let now = InquiryFixture.moment
        var conversation = InquiryConversation(
            InquiryQuestion(by: .reference, "R-1"),
            token: InquiryToken("old", expires: Timestamp(microseconds: .max)))
        let token = #"{"status":"success","data":{"access_token":"new","expiry":1790086400}}"#
        var targets: [String] = []
        for (status, body) in [(401, "{}"), (200, token), (401, "{}")] {
            guard case .ask(let request) = try inquirer.next(conversation, now: now) else { break }
            targets.append(request.target)
            conversation.append(
                InquiryExchange(
                    request,
                    InquiryAnswer(
                        status: status, headers: [], body: Array(body.utf8), received: now)))
        }
        #expect(targets.count == 3 && targets[1] == "/v1/access-tokens")
        guard case .found(let finding) = try inquirer.next(conversation, now: now) else {
            Issue.record("asked a fourth time")
            return
        }
        #expect(finding.verdict == .denied && finding.token == nil)
    }

    @Test func `a token is kept for its time and not longer`() throws {
        let inquirer = try InquiryFixture("citcon-upi").inquirer
        let token = InquiryToken("t", expires: Timestamp(microseconds: 1_000_000))
        let conversation = InquiryConversation(
            InquiryQuestion(by: .reference, "R-1"), token: token)
        for (microseconds, target) in [
            (999_999, "/v1/transactions/R-1?type=reference"), (1_000_000, "/v1/access-tokens"),
        ] {
            let now = Timestamp(microseconds: Int64(microseconds))
            guard case .ask(let request) = try inquirer.next(conversation, now: now) else { return }
            #expect(request.target == target)
        }
    }
}
