import Payments
import Testing

@testable import Records

@Suite struct RecordedActionTests {
    private static let received = Timestamp(microseconds: 1_795_244_400_123_456)
    private static let origin = RecordOrigin(
        received: received, endpoint: "antom", provider: "antom", key: nil)

    private static func action(_ kind: RecordedAction.Kind) -> RecordedAction {
        RecordedAction(
            id: "action:1", kind: kind, reference: "REQ-1", by: "admin", remote: "203.0.113.7",
            reason: "said \"so\"",
            parameters: [.init("destination", "shop"), .init("state", "dead")],
            received: received)
    }

    private static func record(
        _ action: RecordedAction, _ registered: RegisteredExpectation? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        let end = RecordEncoder.append(
            RecordEncoderTests.paid, of: action, registering: registered, from: origin, to: &bytes)
        #expect(end == bytes.count - 1)
        return bytes
    }

    /// Golden bytes.
    @Test func `who why and what stand in the event`() {
        let text = String(decoding: Self.record(Self.action(.retry)), as: UTF8.self)
        #expect(
            text.hasPrefix(
                #"{"schema":1,"sequence":42,"received":"2026-11-21T07:00:00.123456Z","#
                    + #""endpoint":"antom","provider":"antom","outcome":"recorded","#))
        #expect(
            text.contains(
                #""event":{"id":"action:1","kind":"action","status":"retry","reference":"REQ-1","#
                    + #""action":{"by":"admin","remote":"203.0.113.7","#
                    + #""reason":"said \"so\"","#
                    + #""parameters":{"destination":"shop","state":"dead"}}},"order":{"#))
        var resolve = Self.action(.resolve)
        resolve.parameters = []
        resolve.resolved = .init(
            Settlement(status: .paid, captured: Samples.money(4200), refunded: nil),
            basis: Array(0..<16))
        #expect(
            String(decoding: Self.record(resolve), as: UTF8.self).contains(
                #","resolution":{"status":"paid","captured":{"minor":4200,"currency":"MYR"},"#
                    + #""basis":"000102030405060708090a0b0c0d0e0f"}}},"#))
    }

    @Test(arguments: RecordedAction.Kind.allCases)
    func `it comes back as it was`(_ kind: RecordedAction.Kind) throws {
        var action = Self.action(kind)
        var registered: RegisteredExpectation?
        if kind == .resolve {
            action.resolved = .init(
                Settlement(
                    status: .refunded, captured: Samples.money(4200),
                    refunded: Samples.money(4200)), basis: [UInt8](repeating: 0xfe, count: 16))
        }
        if kind == .correct {
            action.replaces = 7
            registered = RegisteredExpectation(
                expectation: Expectation(amount: Samples.money(9)), metadata: Array("{}".utf8))
        }
        if kind == .erase {
            action.parameters = RecordedAction.parameters(erasing: ErasedRecords([3, 4, 9]))
        }
        let record = Self.record(action, registered)
        let event = try RecordDecoder.event(record)
        #expect(event.action == action)
        #expect(event.registered == registered)
        #expect(event.isAct && !event.hasRequest && !event.isInquiry)
        #expect(event.notification == action.notification)
        let replayed = try record.withUnsafeBytes { try RecordedEvent(RecordReader($0, .event)) }
        #expect(replayed == event)
    }

    @Test func `what a later program does is kept and means nothing here`() throws {
        let text = String(decoding: Self.record(Self.action(.retry)), as: UTF8.self)
            .split(separator: #""status":"retry""#, maxSplits: 1)
            .joined(separator: #""status":"levitate""#)
        let event = try RecordDecoder.event(Array(text.utf8))
        #expect(event.action == nil && event.isAct && !event.hasRequest)
    }

    @Test(arguments: [
        (#""by":"admin","#, ""), (#""paid","captured"#, #""review","captured"#),
        ("\"basis\":\"00", "\"basis\":\""), (#""minor":4200"#, #""minor":-1"#),
    ])
    func `what cannot be is damage`(_ part: String, _ other: String) throws {
        var action = Self.action(.resolve)
        action.resolved = .init(
            Settlement(status: .paid, captured: Samples.money(4200), refunded: nil),
            basis: Array(0..<16))
        let text = String(decoding: Self.record(action), as: UTF8.self)
        let place = try #require(text.range(of: part))
        let damaged = text.replacingCharacters(in: place, with: other)
        #expect(throws: RecordError.self) { try RecordDecoder.event(Array(damaged.utf8)) }
    }
}

extension String {
    fileprivate func range(of part: String) -> Range<Index>? {
        firstRange(of: part)
    }

    fileprivate func replacingCharacters(in range: Range<Index>, with other: String) -> String {
        String(self[..<range.lowerBound]) + other + String(self[range.upperBound...])
    }
}
