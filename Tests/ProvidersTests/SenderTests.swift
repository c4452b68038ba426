import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Every provider reads what its sender signs.
@Suite struct SenderTests {
    static let money = Money.of(4200, "MYR")

    struct Pair: Sendable, CustomTestStringConvertible {
        let fixture: ProviderFixture
        let name: String
        let provider: any Provider
        let sender: any Sender
        let foreign: any Sender
        var testDescription: String { name }
    }

    /// Each endpoint of the fixtures, its sender, and a sender with another key.
    static func pairs() throws -> [Pair] {
        try ProviderFixture.all.flatMap { fixture in
            try ([fixture.endpoint] + fixture.variants).map { endpoint in
                Pair(
                    fixture: fixture, name: endpoint.name,
                    provider: try fixture.descriptor.make(endpoint.settings),
                    sender: try fixture.descriptor.makeSender(endpoint.settings),
                    foreign: try fixture.descriptor.makeSender(endpoint.foreign))
            }
        }
    }

    /// Whether an effect is that of the event, at any provider.
    static func isRight(_ effect: Effect, _ type: EventType) -> Bool {
        switch (type, effect) {
        case (.pending, .attempt(.pending, _)), (.authorized, .attempt(.authorized, money?)),
            (.paid, .attempt(.paid, money?)), (.failed, .attempt(.failed, _)),
            (.failed, .attempt(.tryFailed, _)), (.paid, .capture(_, .succeeded, money?)),
            (.tryFailed, .attempt(.tryFailed, _)),
            (.canceled, .attempt(.canceled, _)), (.expired, .attempt(.expired, _)),
            (.captured, .capture(_, .succeeded, money?)), (.captured, .attempt(.paid, money?)),
            (.captureFailed, .capture(_, .failed, _)), (.refundPending, .refund(_, .pending, _)),
            (.refundPending, .unclearRefund(_, .pending, _)),
            (.refunded, .unclearRefund(_, .succeeded, _)),
            (.refundFailed, .unclearRefund(_, .failed, _)),
            (.canceled, .reversal(.authorization, _, .succeeded, _)),
            (.refunded, .refund(_, .succeeded, money?)), (.refundFailed, .refund(_, .failed, _)),
            (.disputed, .dispute(_, .open, _)), (.disputeClosed, .dispute(_, .closed, _)),
            (.disputeWon, .dispute(_, .won, _)), (.disputeWon, .reversal(.dispute, _, _, _)),
            (.chargedBack, .dispute(_, .lost, _)),
            (.reversed, .reversal(_, _, .succeeded, _)), (.ignored, .none):
            true
        default: false
        }
    }

    /// The same for any amount.
    static func isKind(_ effect: Effect, _ type: EventType) -> Bool {
        guard effect.amount != nil else { return isRight(effect, type) }
        let usual: Effect =
            switch effect {
            case .attempt(let status, _): .attempt(status, money)
            case .capture(let id, let status, _): .capture(id: id, status, money)
            case .refund(let id, let status, _): .refund(id: id, status, money)
            default: effect
            }
        return isRight(usual, type)
    }

    @Test(arguments: try pairs())
    func `what is sent is what is read`(_ pair: Pair) throws {
        var sent = 0
        for type in EventType.allCases {
            let event = SampleEvent.sample(type)
            guard let outbound = try? pair.sender.sign(event, path: "/ipn?x=1") else { continue }
            sent += 1
            let notification = try pair.provider.receive(outbound.delivery)
            var effect = notification.effect
            if case .refund(let id, let status, nil) = effect {
                // Alipay tells the sum so far.
                effect = .refund(id: id, status, notification.refundedAtLeast)
            }
            #expect(Self.isRight(effect, type), "\(type) \(notification)")
            #expect(notification.flags.isEmpty, "\(type)")
            let isAboutAnOrder = type != .ignored
            // If an operation points at its payment, the reference is an alias.
            if isAboutAnOrder && !pair.fixture.kindsWithoutReference.contains(event.kind) {
                let name = notification.reference ?? notification.alias
                #expect(name == "REQ-1", "\(type)")
            }
            #expect(try outbound == pair.sender.sign(event, path: "/ipn?x=1"), "repeats are bytes")
        }
        // WeChat Pay reports a payment, the three ends of a refund, and what is about no order.
        #expect(sent >= 5)
    }

    @Test(arguments: try pairs())
    func `a foreign key and a damaged body are refused`(_ pair: Pair) throws {
        let event = SampleEvent.sample(.paid)
        let foreign = try pair.foreign.sign(event, path: "/ipn").delivery
        #expect(pair.provider.refusal(foreign)?.kind == .unauthenticated)
        let damaged = try pair.sender.sign(event, path: "/ipn").damaged(reference: event.reference)
        #expect(pair.provider.refusal(damaged.delivery)?.kind == .unauthenticated)
    }

    @Test(arguments: try pairs())
    func `events of one order have different identities`(_ pair: Pair) throws {
        var ids: Set<String> = []
        var count = 0
        for type in [EventType.pending, .paid, .failed, .refunded, .refundFailed] {
            for number in 1...2 where number == 1 || type == .refunded {
                guard
                    let outbound = try? pair.sender.sign(
                        .sample(type, number: number), path: "/")
                else { continue }
                ids.insert(try pair.provider.receive(outbound.delivery).id)
                count += 1
            }
        }
        #expect(ids.count == count && count > 3)
    }

    /// The order after a payment and a partial refund, in both orders of arrival.
    @Test(arguments: try pairs())
    func `paid then partly refunded is seen as that`(_ pair: Pair) throws {
        let life = SampleLife(reference: "REQ-1", events: [.sample(.paid)])
        let paid = try pair.provider.receive(
            pair.sender.sign(life.events[0], path: "/").delivery)
        let refund = try pair.provider.receive(
            pair.sender.sign(
                life.following(.sample(.refunded, minor: 1200)), path: "/"
            ).delivery)
        for events in [[paid, refund], [refund, paid]] {
            let order = events.reduce(Order(reference: "REQ-1")) { $0.applying($1) }
            #expect(order.status == .partiallyRefunded && order.refunded == .of(1200, "MYR"))
        }
    }

    @Test(arguments: try pairs())
    func `the answers of the provider are judged as they are meant`(_ pair: Pair) {
        func judge(_ verdict: Verdict) -> AnswerVerdict {
            let answer = pair.provider.answer(verdict)
            return pair.sender.judge(
                status: answer.status, contentType: answer.contentType, body: answer.body)
        }
        #expect(judge(.accepted) == .accepted)
        for verdict in [
            Verdict.unavailable, .refused(.signatureMismatch), .refused(.malformed("x", "")),
        ] {
            #expect(judge(verdict) != .accepted)
        }
    }

    @Test(arguments: ProviderFixture.all)
    func `answers that miss the point are not accepted`(_ fixture: ProviderFixture) throws {
        let sender = try fixture.descriptor.makeSender(fixture.endpoint.settings)
        for answer in fixture.answers {
            let verdict = sender.judge(
                status: answer.status, contentType: nil, body: Array(answer.body.utf8))
            #expect(
                (verdict == .accepted) == answer.isAccepted, "\(answer.status) \(answer.body)")
        }
    }

    @Test(arguments: ProviderFixture.all)
    func `the schedules are the published ones`(_ fixture: ProviderFixture) throws {
        let sender = try fixture.descriptor.makeSender(fixture.endpoint.settings)
        #expect(fixture.isPublishedSchedule(sender.publishedRetrySchedule))
    }
}
