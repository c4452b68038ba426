import Bytes
import Payments
import Providers
import Testing

@testable import Simulator
@testable import SimulatorServer

@Suite struct PaymentLogTests {
    private static func event(_ type: EventType, number: Int = 1) throws -> SampleEvent {
        let currency = try #require(Currency("EUR"))
        return SampleEvent(
            type: type, reference: "R", transaction: "T",
            money: Money(minor: 100, currency: currency),
            occurred: Timestamp(microseconds: 0), number: number)
    }

    @Test func `events that have not happened are not known`() throws {
        let log = PaymentLog()
        let life = SampleLife(
            reference: "R", events: [try Self.event(.paid), try Self.event(.refunded, number: 2)])
        log.open(life, endpoint: "antom")
        #expect(log.find("antom", .reference, "R") == nil)
        log.advance("R", endpoint: "antom", to: 1)
        #expect(log.find("antom", .reference, "R")?.events.map(\.type) == [.paid])
        #expect(log.find("antom", .transaction, "T")?.events.count == 1)
        log.advance("R", endpoint: "antom", to: 2)
        // A late update about an earlier event changes nothing.
        log.advance("R", endpoint: "antom", to: 1)
        #expect(log.find("antom", .reference, "R")?.events.count == 2)
        #expect(log.find("opp", .reference, "R") == nil)
    }

    @Test func `registered events are known at once, and each once`() throws {
        let log = PaymentLog()
        let life = SampleLife(reference: "R", events: [try Self.event(.paid)])
        for _ in 0..<2 { log.register(life, endpoint: "antom") }
        #expect(log.find("antom", .reference, "R") == life)
        let more = SampleLife(reference: "R", events: [try Self.event(.refunded, number: 2)])
        log.register(more, endpoint: "antom")
        #expect(log.find("antom", .reference, "R")?.events.map(\.type) == [.paid, .refunded])
        #expect(log.count == 1)
    }

    @Test func `events are read back from their JSON`() throws {
        let life = SampleLife(
            reference: "R \"ü\"",
            events: [try Self.event(.paid), try Self.event(.refunded)].map {
                var event = $0
                event.reference = "R \"ü\""
                return event
            })
        let read = try #require(SampleLife.read(life.json(endpoint: "antom")))
        #expect(read.endpoint == "antom" && read.life == life)
        #expect(SampleLife.read(Array("{}".utf8)) == nil)
    }

    @Test func `questions beyond the limit are refused`() {
        let log = PaymentLog()
        let limit = ResponderLimit.sample(questions: 2, seconds: 60)
        func exceeds(_ subject: String, at seconds: Double, speed: Double = 1) -> Bool {
            log.exceeds(limit, subject, now: Int64(seconds * 1_000_000), speed: speed)
        }
        #expect(!exceeds("a", at: 0) && !exceeds("a", at: 1) && exceeds("a", at: 2))
        #expect(!exceeds("b", at: 2))
        #expect(!exceeds("a", at: 60.5) && exceeds("a", at: 60.6))
        // On an accelerated clock the period is shorter.
        #expect(!exceeds("c", at: 0, speed: 60) && !exceeds("c", at: 0.1, speed: 60))
        #expect(exceeds("c", at: 0.9, speed: 60) && !exceeds("c", at: 1.05, speed: 60))
    }

    @Test func `a forgery changes only the first amount`() throws {
        for body in [#"{"a":{"value":"4200"},"b":{"value":"1"}}"#, #"{"sum":{"amount":4200}}"#] {
            let answer = InquiryAnswer(
                status: 200, headers: [Header("signature", "s")], body: Array(body.utf8),
                received: Timestamp(microseconds: 0))
            let forged = try #require(answer.forged)
            #expect(
                String(decoding: forged.body, as: UTF8.self)
                    == body.replacing("4200", with: "4201"))
            #expect(forged.headers.count == 1)
        }
    }
}

extension ResponderLimit {
    static func sample(questions: Int, seconds: Double) -> ResponderLimit {
        ResponderLimit(
            questions: questions, seconds: seconds, subject: { $0.target },
            refusal: {
                InquiryAnswer(status: 429, headers: [], body: [], received: $0.now)
            })
    }
}
