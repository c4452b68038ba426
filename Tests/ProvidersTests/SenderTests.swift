import Cryptography
import Payments
import Testing

@testable import Providers

/// Every system's sender against its provider: what is sent is what is read.
@Suite struct SenderTests {
    static let money = Money.of(4200, "MYR")

    struct Pair: Sendable, CustomTestStringConvertible {
        let name: String
        let provider: any Provider
        let sender: any Sender
        let foreign: any Sender
        var testDescription: String { name }
    }

    /// One endpoint of each system in the registry, its sender, and a sender with another key.
    static func pairs() throws -> [Pair] {
        let keys = AntomFixture.shared
        let scheme = HMACScheme(header: "x-signature", prefix: "sha256=")
        let pairs = try ProviderRegistry.list.map { descriptor in
            let secrets = (0..<2).map { _ in
                if case .secret(let form) = descriptor.credential { form.fresh() } else { "" }
            }
            let settings = EndpointSettings(
                name: descriptor.name,
                [
                    "clientID": .text("C"),
                    "keys": .keys([VersionedKey(version: 1, text: keys.first.publicKeyPEM)]),
                    "secrets": .secrets([Array(secrets[0].utf8)]), "projectID": .text("115"),
                    "toleranceSeconds": descriptor.name == "standard-webhooks"
                        ? 1_000_000_000 : nil,
                    "hmac": .scheme(scheme), "fields": .fields(HMACWebhookTests.mapping),
                ])
            let senders = try [(keys.first, secrets[0]), (keys.foreign, secrets[1])].map {
                try descriptor.makeSender(
                    EndpointSettings(
                        name: "sender",
                        [
                            "clientID": .text("C"), "secrets": .secrets([Array($0.1.utf8)]),
                            "projectID": .text("115"), "hmac": .scheme(scheme),
                            "fields": .fields(HMACWebhookTests.mapping),
                        ], sender: ["privateKey": .text($0.0.pem)]))
            }
            return Pair(
                name: descriptor.name, provider: try descriptor.make(settings), sender: senders[0],
                foreign: senders[1])
        }
        return try pairs + [composite(), ed25519()]
    }

    /// `t=…,v1=…`, and a template with everything that can be signed.
    private static func composite() throws -> Pair {
        let parts = try #require(
            SignedTemplate.parts(of: "{method} {path}\n{id}/{timestamp}\n{body}"))
        let scheme = HMACScheme(
            header: "x-signature", algorithm: .sha512, encoding: .base64,
            layout: .parameters(separator: .comma, signature: "v1"),
            content: SignedTemplate(
                parts: parts, timestamp: .parameter("t"), id: .header("x-id")))
        func sender(_ secret: String) throws -> HMACWebhookSender {
            try HMACWebhookSender(
                settings: EndpointSettings(
                    name: "sender",
                    [
                        "secrets": .secrets([Array(secret.utf8)]), "hmac": .scheme(scheme),
                        "fields": .fields(HMACWebhookTests.mapping),
                    ]))
        }
        let provider = try HMACWebhook(
            settings: EndpointSettings(
                name: "composite",
                [
                    "secrets": .secrets([Array("first".utf8)]),
                    "toleranceSeconds": .integer(1_000_000_000), "hmac": .scheme(scheme),
                    "fields": .fields(HMACWebhookTests.mapping),
                ]))
        return Pair(
            name: "composite", provider: provider, sender: try sender("first"),
            foreign: try sender("second"))
    }

    private static func ed25519() throws -> Pair {
        let keys = try [StandardWebhooksKey.freshPair(), StandardWebhooksKey.freshPair()]
        let senders = try keys.map { pair in
            try StandardWebhooksSender(
                settings: EndpointSettings(
                    name: "sender",
                    [
                        "secrets": .secrets([Array(pair.privateText.utf8)]),
                        "fields": .fields(HMACWebhookTests.mapping),
                    ]))
        }
        let provider = try StandardWebhooks(
            settings: EndpointSettings(
                name: "v1a",
                [
                    "secrets": .secrets([Array(keys[0].publicText.utf8)]),
                    "toleranceSeconds": .integer(1_000_000_000),
                    "fields": .fields(HMACWebhookTests.mapping),
                ]))
        return Pair(name: "v1a", provider: provider, sender: senders[0], foreign: senders[1])
    }

    /// What each event has to come to, whatever the system.
    static func isRight(_ effect: Effect, _ type: EventType) -> Bool {
        switch (type, effect) {
        case (.pending, .attempt(.pending, _)), (.authorized, .attempt(.authorized, money?)),
            (.paid, .attempt(.paid, money?)), (.failed, .attempt(.failed, _)),
            (.canceled, .attempt(.canceled, _)), (.expired, .attempt(.expired, _)),
            (.captured, .capture(_, .succeeded, money?)), (.captured, .attempt(.paid, money?)),
            (.captureFailed, .capture(_, .failed, _)), (.refundPending, .refund(_, .pending, _)),
            (.refundPending, .unclearRefund(_, .pending, _)),
            (.refunded, .unclearRefund(_, .succeeded, _)),
            (.refundFailed, .unclearRefund(_, .failed, _)),
            (.canceled, .reversal(.authorization, _, .succeeded, _)),
            (.refunded, .refund(_, .succeeded, money?)), (.refundFailed, .refund(_, .failed, _)),
            (.disputed, .dispute(_, .open, _)), (.disputeClosed, .dispute(_, .closed, _)),
            (.disputeWon, .dispute(_, .won, _)), (.chargedBack, .dispute(_, .lost, _)),
            (.ignored, .none):
            true
        default: false
        }
    }

    @Test(arguments: try pairs())
    func whatIsSentIsWhatIsRead(_ pair: Pair) throws {
        var sent = 0
        for type in EventType.allCases {
            let event = SampleEvent.sample(type)
            guard let outbound = try? pair.sender.sign(event, path: "/ipn?x=1") else { continue }
            sent += 1
            let notification = try pair.provider.receive(outbound.delivery)
            #expect(Self.isRight(notification.effect, type), "\(type) \(notification)")
            #expect(notification.flags.isEmpty, "\(type)")
            let isAboutAnOrder = type != .ignored
            // Antom's captures and refunds name the payment only; where an operation points at its
            // payment, the reference is an alias.
            if isAboutAnOrder
                && !(pair.name == "antom" && ["capture", "refund"].contains(event.kind))
            {
                let name = notification.reference ?? notification.alias
                #expect(name == "REQ-1", "\(type)")
            }
            #expect(try outbound == pair.sender.sign(event, path: "/ipn?x=1"), "repeats are bytes")
        }
        #expect(sent >= 7)
    }

    @Test(arguments: try pairs())
    func aForeignKeyAndADamagedBodyAreRefused(_ pair: Pair) throws {
        let event = SampleEvent.sample(.paid)
        let foreign = try pair.foreign.sign(event, path: "/ipn").delivery
        #expect(pair.provider.refusal(foreign)?.kind == .unauthenticated)
        let damaged = try pair.sender.sign(event, path: "/ipn").damaged(reference: event.reference)
        #expect(pair.provider.refusal(damaged.delivery)?.kind == .unauthenticated)
    }

    @Test(arguments: try pairs())
    func eventsOfOneOrderHaveDifferentIdentities(_ pair: Pair) throws {
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

    /// A whole life of an order: what the merchant sees at its end.
    @Test(arguments: try pairs())
    func paidThenPartlyRefundedIsSeenAsThat(_ pair: Pair) throws {
        let paid = try pair.provider.receive(
            pair.sender.sign(.sample(.paid), path: "/").delivery)
        let refund = try pair.provider.receive(
            pair.sender.sign(.sample(.refunded, minor: 1200), path: "/").delivery)
        for events in [[paid, refund], [refund, paid]] {
            let order = events.reduce(Order(reference: "REQ-1")) { $0.applying($1) }
            #expect(order.status == .partiallyRefunded && order.refunded == .of(1200, "MYR"))
        }
    }

    @Test(arguments: try pairs())
    func theAnswersOfTheProviderAreJudgedAsTheyAreMeant(_ pair: Pair) {
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

    @Test func answersThatMissThePointAreNotAccepted() throws {
        let antom = try AntomFixture.shared.sender()
        func judge(_ status: Int, _ body: String) -> AnswerVerdict {
            antom.judge(status: status, contentType: nil, body: Array(body.utf8))
        }
        #expect(judge(200, "") != .accepted && judge(200, "ok") != .accepted)
        #expect(judge(200, #"{"result":{"resultStatus":"F"}}"#) != .accepted)
        #expect(judge(201, #"{"result":{"resultStatus":"S"}}"#) != .accepted)
        #expect(judge(200, #"{"result":{"resultStatus":"S"}}"#) == .accepted)
        let pay = try CitconPaySender(
            settings: EndpointSettings(name: "sender", ["secrets": .secrets([[1]])]))
        #expect(pay.judge(status: 200, contentType: nil, body: Array("OK\n".utf8)) != .accepted)
    }

    @Test func theSchedulesAreThePublishedOnes() throws {
        let schedules = Dictionary(
            uniqueKeysWithValues: try Self.pairs().map {
                ($0.name, $0.sender.publishedRetrySchedule)
            })
        #expect(
            schedules["antom"]
                == [120, 600, 600, 3600, 7200, 21600, 54000].map { .seconds($0) })
        let opp = try #require(schedules["opp"])
        let first: [Duration] = [60, 120, 240, 480, 900, 1800, 3600].map { .seconds($0) }
        #expect(Array(opp.prefix(first.count)) == first)
        #expect(opp.dropFirst(7).allSatisfy { $0 == .seconds(86_400) } && opp.count == 37)
        let ecommpay = try #require(schedules["ecommpay"])
        #expect(ecommpay.prefix(6).allSatisfy { $0 == .seconds(10) })
        // 70 + 10·1.12⁴ s before the eighth attempt, 4 h from the 69th, 120 attempts in 11 days.
        #expect(ecommpay[6...9].map(\.self) == [86, 88, 90, 92].map { .seconds($0) })
        #expect(ecommpay.firstIndex(of: .seconds(14_400)) == 67 && ecommpay.count == 119)
        #expect(ecommpay.dropFirst(67).allSatisfy { $0 == .seconds(14_400) })
        let sum = ecommpay.reduce(.zero, +)
        #expect(sum <= .seconds(11 * 86_400) && sum > .seconds(10 * 86_400))
        #expect(schedules["citcon-upi"] == [] && schedules["citcon-pay"] == [])
    }
}
