import Bytes
import Payments
import TestSupport
import Testing

@testable import Records

@Suite struct RecordDecoderTests {
    private func record(
        _ arrival: SampleArrival, _ content: RecordContent, base64: Bool = false
    ) -> [UInt8] {
        arrival.record(content, base64: base64)
    }

    static let effects: [Effect] = [
        .none,
        .attempt(.pending, nil),
        .attempt(.authorized, Samples.money(1, "JPY")),
        .attempt(.expired, Samples.money(.max)),
        .attempt(.canceled, Samples.money(.min, "KWD")),
        .attempt(.failed, nil),
        .attempt(.paid, Samples.money(0)),
        .capture(id: "C-1", .succeeded, Samples.money(5)),
        .capture(id: "", .failed, nil),
        .refund(id: "R\"\\\u{1}é😀", .pending, Samples.money(-5)),
        .dispute(id: "D", .open, nil), .dispute(id: "D", .closed, nil),
        .dispute(id: "D", .won, nil), .dispute(id: "D", .lost, Samples.money(7, "XXX")),
    ]

    @Test(arguments: effects)
    func `every effect comes back`(effect: Effect) throws {
        let notification = Notification(
            id: "id \u{0} \u{7f} \"é\" 😀", kind: "k", status: "s\n",
            occurred: Timestamp(microseconds: -1), reference: "e\u{301}", transaction: "",
            effect: effect, flags: Flag.allCases)
        var content = RecordEncoderTests.paid
        content.conflictsWith = 9
        content.outcome = .conflict
        let bytes = record(Samples.arrival(notification), content)
        let event = try RecordDecoder.event(bytes)
        #expect(event.sequence == 42)
        #expect(event.endpoint == "antom")
        #expect(event.provider == "antom")
        #expect(event.key == "1")
        #expect(event.outcome == .conflict)
        #expect(event.conflictsWith == 9)
        #expect(event.received == Timestamp(microseconds: 1_795_244_400_123_456))
        #expect(event.notification == notification)
        #expect(event.notification.reference.map { Array($0.utf8) } == Array("e\u{301}".utf8))
    }

    /// Without it, an id would lead to another order after a restart.
    @Test(arguments: IDSpace.allCases)
    func `how far an id reaches comes back`(ids: IDSpace) throws {
        var notification = Samples.refund("E")
        notification.ids = ids
        let bytes = record(Samples.arrival(notification), RecordEncoderTests.paid)
        #expect(try RecordDecoder.event(bytes).notification == notification)
    }

    @Test func `every effect comes back with each of its statuses`() throws {
        var effects: [Effect] = [.none, .doubt]
        effects += AttemptStatus.allCases.map { .attempt($0, nil) }
        effects += DisputeStatus.allCases.map { .dispute(id: "D", $0, nil) }
        for status in ActionStatus.allCases {
            effects.append(.capture(id: "C", status, nil))
            effects.append(.refund(id: "F", status, nil))
            effects.append(
                .unclearRefund(
                    id: "F", status, RefundClaim(amount: nil, refunded: nil, moment: nil)))
            effects += Reversal.Kind.allCases.map { .reversal($0, id: "V", status, nil) }
        }
        for effect in effects {
            var notification = Samples.payment("E")
            notification.effect = effect
            let bytes = record(Samples.arrival(notification), RecordEncoderTests.paid)
            #expect(try RecordDecoder.event(bytes).notification == notification)
        }
    }

    @Test(arguments: [
        (#"{"on":"attempts","status":"paid"}"#, "event.effect.on"),
        (#"{"on":"attempt","status":"Paid"}"#, "event.effect.status"),
        (#"{"on":"attempt","status":"succeeded"}"#, "event.effect.status"),
        (#"{"on":"refund","id":"F","status":"paid"}"#, "event.effect.status"),
        (#"{"on":"dispute","id":"D"}"#, "event.effect.status"),
        (#"{"on":"reversal","of":"x","id":"V","status":"failed"}"#, "event.effect.of"),
    ])
    func `a word that the schema does not have is named`(effect: String, member: String) {
        let text =
            #"{"schema":1,"sequence":3,"received":"2026-11-21T07:00:00Z","endpoint":"e","#
            + #""provider":"p","outcome":"recorded","#
            + #""event":{"id":"i","kind":"k","status":"s","effect":\#(effect)},"request":{}}"#
        let error = #expect(throws: RecordError.self) {
            try RecordDecoder.event(Array(text.utf8))
        }
        #expect(error == .value(member))
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `any bytes in body and headers come back`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<50 {
            var arrival = Samples.arrival(Samples.payment("E"))
            arrival.request.headers = (0..<Int(generator.next() % 8)).map { _ in
                Header(
                    name: generator.bytes(Int(generator.next() % 20))[...],
                    value: generator.bytes(Int(generator.next() % 60))[...])
            }
            arrival.request.target = generator.bytes(30)[...]
            let body = generator.bytes(Int(generator.next() % 500))
            // Every other body is text: ASCII with all the control characters.
            arrival.request.body = round % 2 == 0 ? body : body.map { $0 & 0x7f }
            let bytes = record(arrival, RecordEncoderTests.paid, base64: round % 5 == 0)
            #expect(try RecordDecoder.request(bytes) == arrival.request)
            #expect(try RecordDecoder.event(bytes).notification == arrival.notification)
        }
    }

    @Test func `members of a later program are passed over`() throws {
        let text =
            #"{"schema":1,"new":{"a":[1,{"b":null}]},"sequence":3,"#
            + #""received":"2026-11-21T07:00:00Z","endpoint":"e","provider":"p","#
            + #""outcome":"ignored","event":{"id":"i","kind":"k","status":"s","later":true},"#
            + #""request":{}}"#
        let event = try RecordDecoder.event(Array(text.utf8))
        #expect(event.sequence == 3)
        #expect(event.notification == Notification(id: "i", kind: "k", status: "s"))
    }

    @Test(arguments: [
        ("", "record_json"), ("{", "record_json"), ("[]", "record_json"),
        (#"{"schema":2}"#, "record_schema"),
        (#"{"schema":1}"#, "record_member_missing"),
        (#"{"schema":1,"sequence":-1}"#, "record_member_missing"),
        (#"{"schema":1,"sequence":1,"received":"yesterday"}"#, "record_member_value"),
    ])
    func `damage is named`(text: String, reason: String) {
        let error = #expect(throws: RecordError.self) {
            try RecordDecoder.event(Array(text.utf8))
        }
        #expect(error?.reason == reason)
    }

    @Test func `every truncation of a record is refused`() throws {
        let bytes = record(Samples.arrival(Samples.refund("E")), RecordEncoderTests.paid)
        for length in 0..<bytes.count {
            #expect(throws: RecordError.self) {
                try RecordDecoder.request(Array(bytes[..<length]))
            }
        }
    }
}
