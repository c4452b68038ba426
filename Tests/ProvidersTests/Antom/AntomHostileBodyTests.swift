import Payments
import TestSupport
import Testing

@testable import Providers

/// Signed bodies of a wrong form never crash and are never paid.
@Suite struct AntomHostileBodyTests {
    private func read(_ body: String) -> Notification { AntomFixture.shared.read(body) }

    private static let members: [(name: String, text: String)] = [
        ("notifyType", #""PAYMENT_RESULT""#),
        ("paymentAmount", #"{"currency":"MYR","value":"4200"}"#),
        ("paymentId", #""PAY-1""#), ("paymentRequestId", #""REQ-1""#),
        ("result", #"{"resultStatus":"S"}"#),
    ]

    private static func body(replacing name: String? = nil, with text: String? = nil) -> String {
        let members = Self.members.compactMap { member -> String? in
            guard member.name == name else { return "\"\(member.name)\":\(member.text)" }
            return text.map { "\"\(member.name)\":\($0)" }
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    @Test func `the unchanged body is paid`() {
        #expect(read(Self.body()).effect == .attempt(.paid, .of(4200, "MYR")))
    }

    @Test(arguments: members.map(\.name))
    func `a payment without one of its fields is not paid`(_ name: String) {
        #expect(!read(Self.body(replacing: name)).effect.takesMoney)
    }

    @Test(
        arguments: members.map(\.name),
        [
            "null", "true", "17", "-1", "1e9", "[]", "{}", #""""#, #"["PAYMENT_RESULT"]"#,
            #"{"a":{}}"#,
        ])
    func `a payment with a field of another type is not paid`(_ name: String, _ value: String) {
        // An id that is a number has the wrong type, although it could be read.
        #expect(!read(Self.body(replacing: name, with: value)).effect.takesMoney)
    }

    @Test(arguments: [
        #"{"currency":"MYR","value":4200}"#, #"{"currency":"MYR","value":"-4200"}"#,
        #"{"currency":"MYR","value":"42.00"}"#, #"{"currency":"MYR","value":"+42"}"#,
        #"{"currency":"MYR","value":" 42"}"#, #"{"currency":"MYR","value":"42e2"}"#,
        #"{"currency":"MYR","value":""}"#, #"{"currency":"MYR","value":"12345678901234567"}"#,
        #"{"currency":"MYR","value":"99999999999999999999999999999999"}"#,
        #"{"currency":"MY","value":"1"}"#, #"{"currency":"myr","value":"1"}"#,
        #"{"currency":"","value":"1"}"#, #"{"currency":3,"value":"1"}"#, #"{"value":"1"}"#,
        #"{"currency":"MYR"}"#, #""4200""#, #"{"currency":"MYR","value":"٤٢"}"#,
    ])
    func `an amount is never guessed`(_ amount: String) {
        let notification = read(Self.body(replacing: "paymentAmount", with: amount))
        #expect(notification.effect == .doubt && notification.flags == [.notUnderstood])
        #expect(notification.reference == "REQ-1")
    }

    @Test func `huge and strange ids are no ids`() {
        let huge = String(repeating: "x", count: 1_000_000)
        for id in ["\"\(huge)\"", #""a\u0000b""#, #""a\nb""#] {
            #expect(read(Self.body(replacing: "paymentId", with: id)).effect == .doubt)
            #expect(read(Self.body(replacing: "paymentRequestId", with: id)).effect == .doubt)
        }
    }

    @Test func `duplicate members and bytes that are not text are not understood`() {
        let doubled = Self.body().dropLast() + #","paymentId":"PAY-2"}"#
        #expect(read(String(doubled)).flags == [.notUnderstood])
        var bytes = Array(Self.body().utf8)
        bytes[bytes.firstIndex(of: UInt8(ascii: "R"))!] = 0xff
        let notification = AntomFixture.shared.provider.interpret(AntomEvidence(body: bytes))
        #expect(notification.flags == [.notUnderstood])
    }

    @Test func `nothing that is cut off or scrambled is paid or crashes`() {
        var random = SeededGenerator(seed: 1)
        let whole = Array(Self.body().utf8)
        for length in 0..<whole.count {
            let notification = AntomFixture.shared.provider.interpret(
                AntomEvidence(body: Array(whole[..<length])))
            #expect(!notification.effect.takesMoney)
        }
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            _ = AntomFixture.shared.provider.interpret(AntomEvidence(body: bytes))
        }
    }
}
