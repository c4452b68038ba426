import Bytes
import Cryptography
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Notifications that were made without ipnd, with both kinds of platform key.
@Suite struct WeChatPayVectorTests {
    let file: JSONValue

    init() throws { file = try VectorFile.load("wechatpay") }

    private func vectors(_ list: String) throws -> [JSONValue] {
        try Array(#require(file[list]).elements)
    }

    private static func provider(_ vector: JSONValue) throws -> WeChatPay {
        try WeChatPay(settings: EndpointSettings(wechatPay: #require(vector["config"])))
    }

    @Test func `each vector is read as it says`() throws {
        for vector in try vectors("vectors") {
            let name = try #require(vector["id"]?.string)
            let provider = try Self.provider(vector)
            let delivery = try vector.wechatPayDelivery()
            let verified = try provider.verify(delivery)
            #expect(delivery.value("wechatpay-serial") == verified.key, "\(name)")
            let read = provider.notifications(in: verified.evidence)
            let expected = try #require(vector["expected"]).elements.map(\.self)
            try #require(read.count == expected.count, "\(name)")
            for (read, expected) in zip(read, expected) { try Self.compare(read, expected, name) }
        }
    }

    private static func compare(
        _ read: Notification, _ expected: JSONValue, _ name: String
    ) throws {
        let ids = try #require(expected["identity"]).elements.compactMap(\.string)
        #expect(read.id == EventIdentity.text(ids), "\(name)")
        #expect(read.reference == expected["reference"]?.string, "\(name)")
        #expect(read.alias == expected["alias"]?.string, "\(name)")
        #expect(read.transaction == expected["transaction"]?.string, "\(name)")
        #expect(read.effect.id == expected["action"]?.string, "\(name)")
        let minor = expected["minor"]?.string.flatMap { Int64($0) }
        #expect(read.effect.amount == minor.flatMap { Money.of($0, "CNY") }, "\(name)")
        let type = try #require(expected["type"]?.string.flatMap(EventType.init))
        #expect(SenderTests.isKind(read.effect, type), "\(name): \(read.effect)")
        #expect(read.flags.isEmpty, "\(name)")
    }

    @Test func `each negative is refused for the reason that it names`() throws {
        for vector in try vectors("negatives") {
            let name = try #require(vector["id"]?.string)
            let provider = try Self.provider(vector)
            let refusal = try #require(try provider.refusal(vector.wechatPayDelivery()))
            let others = vector["also_right"]?.elements.map(\.string) ?? []
            let reasons = [vector["expected"]?.string] + others
            #expect(reasons.contains(refusal.reason), "\(name): \(refusal)")
            let answer = provider.answer(.refused(refusal))
            #expect(Int64(answer.status) == vector["http"]?.int64, "\(name)")
            #expect(answer.contentType == "application/json")
            #expect(
                String(decoding: answer.body, as: UTF8.self)
                    == #"{"code":"FAIL","message":"失败"}"#)
        }
    }

    @Test func `answers are the documented ones`() throws {
        let provider = try Self.provider(try #require(try vectors("vectors").first))
        #expect(provider.answer(.accepted) == Answer(status: 204))
        #expect(provider.answer(.unavailable).status == 503)
    }

    /// The Go library's own test key has 16 characters; WeChat Pay's have 32.
    @Test func `unusable settings are refused by name`() throws {
        let vector = try #require(try vectors("vectors").first)
        let good = try EndpointSettings(wechatPay: #require(vector["config"]))
        func problem(_ change: (inout EndpointSettings) -> Void) -> String? {
            var settings = good
            change(&settings)
            do throws(SettingsError) {
                _ = try WeChatPay(settings: settings)
                return nil
            } catch {
                return error.key
            }
        }
        let text = good.keys[0].text
        let serial = good.keys[0].serial
        #expect(problem { _ in } == nil)
        #expect(
            problem { $0["apiV3Keys"] = .secrets([Array("testMchAPIv3Key0".utf8)]) }
                == "apiV3Keys[0]")
        #expect(problem { $0["apiV3Keys"] = nil } == "apiV3Keys")
        #expect(problem { $0["platformKeys"] = nil } == "platformKeys")
        #expect(
            problem {
                $0.keys = [VersionedKey(version: 1, serial: serial, text: "nonsense")]
            } == "platformKeys[0].publicKey")
        // A certificate under another number than its own would never be found.
        #expect(
            problem { $0.keys = [VersionedKey(version: 1, serial: "00", text: text)] }
                == "platformKeys[0].serial")
        #expect(problem { $0.keys += [$0.keys[0]] } == "platformKeys[1].serial")
    }
}

/// What is genuine and says something that no document has.
@Suite struct WeChatPayInterpretationTests {
    private func read(_ type: String, _ content: String?) -> [Notification] {
        let envelope = Array(#"{"id":"E","event_type":"\#(type)"}"#.utf8)
        return WeChatPayInterpretation.notifications(
            WeChatPayEvidence(
                root: try? JSONDocument(parsing: envelope).root, body: envelope,
                plaintext: content.map { Array($0.utf8) }))
    }

    private func payment(_ state: String, _ more: String = #","amount":{"total":100}"#) -> String {
        #"{"out_trade_no":"R","transaction_id":"T","trade_state":"\#(state)"\#(more)}"#
    }

    private func refund(_ word: String, _ more: String = #","amount":{"refund":40}"#) -> String {
        #"{"out_trade_no":"R","transaction_id":"T","out_refund_no":"A","refund_id":"F","#
            + #""refund_status":"\#(word)"\#(more)}"#
    }

    @Test(arguments: [
        ("SUCCESS", AttemptStatus.paid), ("REFUND", .paid), ("NOTPAY", .pending),
        ("USERPAYING", .pending), ("ACCEPT", .pending), ("CLOSED", .expired),
        ("REVOKED", .canceled), ("PAYERROR", .failed),
    ])
    func `each state of a payment has its status`(_ state: String, _ status: AttemptStatus) {
        let read = read("TRANSACTION.SUCCESS", payment(state))[0]
        #expect(read.effect == .attempt(status, Money.of(100, "CNY")))
        #expect(read.status == status.name && read.flags.isEmpty)
        #expect(read.refundedAtLeast == (state == "REFUND" ? Money.of(1, "CNY") : nil))
    }

    @Test func `an unknown word is never paid and never refunded`() {
        let payment = read("TRANSACTION.SUCCESS", payment("DONE"))[0]
        #expect(payment.effect == .attempt(.pending, nil) && payment.status == "DONE")
        #expect(payment.flags == [.unknownStatus])
        let refund = read("REFUND.SUCCESS", refund("DONE"))[0]
        #expect(refund.effect == .refund(id: "F", .pending, Money.of(40, "CNY")))
        #expect(refund.flags == [.unknownStatus])
    }

    @Test(arguments: [
        "", #","amount":{}"#, #","amount":{"total":-1}"#, #","amount":{"total":"100"}"#,
        #","amount":{"total":1.5}"#, #","amount":{"payer_total":100}"#,
        #","amount":{"total":100,"currency":"XX1"}"#, #","amount":{"total":100,"currency":7}"#,
    ])
    func `a payment without a sum puts its order into review`(_ more: String) {
        let read = read("TRANSACTION.SUCCESS", payment("SUCCESS", more))[0]
        #expect(read.effect == .doubt && read.reference == "R", "\(read)")
        #expect(read.flags == [.notUnderstood])
    }

    @Test func `a refund without a sum puts its order into review`() {
        let read = read("REFUND.SUCCESS", refund("SUCCESS", #","amount":{"payer_refund":4}"#))[0]
        #expect(read.effect == .doubt && read.reference == "R")
    }

    /// Retries may cross, and are sealed and signed anew: an unreadable one is the same event.
    @Test func `what cannot be read has one identity in every retry`() {
        let content = payment("SUCCESS", "")
        let other = Array(#"{"id":"F","event_type":"TRANSACTION.SUCCESS"}"#.utf8)
        let again = WeChatPayInterpretation.notifications(
            WeChatPayEvidence(
                root: try? JSONDocument(parsing: other).root, body: other,
                plaintext: Array(content.utf8)))
        #expect(read("TRANSACTION.SUCCESS", content)[0].id == again[0].id)
    }

    @Test func `an order of a combined payment that cannot be read leaves the others`() throws {
        let read = read(
            "TRANSACTION.SUCCESS",
            #"{"sub_orders":[\#(payment("SUCCESS", #","amount":{"total_amount":7}"#)),"#
                + #"{"out_trade_no":"Q","transaction_id":"U","trade_state":"SUCCESS"}]}"#)
        try #require(read.map(\.reference) == ["R", "Q"])
        #expect(read[0].effect == .attempt(.paid, Money.of(7, "CNY")))
        #expect(read[1].effect == .doubt)
    }

    @Test func `other events are ignored, and new ones about money are flagged`() {
        let coupon = read("COUPON.USE", #"{"coupon_id":"1"}"#)[0]
        #expect(coupon.effect == .none && coupon.flags.isEmpty)
        #expect(coupon.id == "other:COUPON.USE:E")
        let new = read("REFUND.PARTED", refund("SUCCESS"))[0]
        #expect(new.effect == .none && new.flags == [.unknownKind])
        #expect(read("TRANSACTION.SUCCESS", nil)[0].flags == [.notUnderstood])
        #expect(read("TRANSACTION.SUCCESS", "[]")[0].flags == [.notUnderstood])
    }
}
