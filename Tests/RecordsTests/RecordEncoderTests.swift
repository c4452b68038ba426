import Bytes
import Payments
import Testing

@testable import Records

/// The record is a promise to everyone who reads the journal: its bytes are pinned here.
@Suite struct RecordEncoderTests {
    static func encode(
        _ content: RecordContent, _ arrival: SampleArrival, base64: Bool = false
    ) -> String {
        String(decoding: arrival.record(content, base64: base64), as: UTF8.self)
    }

    static let paid = RecordContent(
        sequence: 42, outcome: .recorded, conflictsWith: nil, flags: [],
        order: OrderChange(
            reference: "REQ-1", transaction: "PAY-1", previous: .pending,
            summary: Order(reference: "REQ-1").applying(Samples.payment("E-1")).summary))

    @Test func `a payment has the bytes of the design`() {
        let text = Self.encode(Self.paid, Samples.arrival(Samples.payment("E-1")))
        #expect(
            text == #"{"schema":1,"sequence":42,"received":"2026-11-21T07:00:00.123456Z","#
                + #""endpoint":"antom","provider":"antom","key":"1","outcome":"recorded","#
                + #""flags":[],"event":{"id":"E-1","kind":"payment","status":"paid","#
                + #""occurred":"2026-11-21T06:59:58Z","reference":"REQ-1","transaction":"PAY-1","#
                + #""effect":{"on":"attempt","status":"paid","#
                + #""amount":{"minor":4200,"currency":"MYR"}}},"#
                + #""order":{"reference":"REQ-1","status":"paid","previous":"pending","#
                + #""transaction":"PAY-1","amount":{"minor":4200,"currency":"MYR"},"#
                + #""refunded":{"minor":0,"currency":"MYR"},"#
                + #""authorized":{"minor":4200,"currency":"MYR"},"#
                + #""captured":{"minor":4200,"currency":"MYR"}},"#
                + #""request":{"method":"POST","target":"/ipn/antom","#
                + #""headers":[["client-id","SANDBOX_1"]],"body":"{\"id\":\"E-1\"}"},"#
                + #""peer":"203.0.113.7"}"#)
    }

    @Test func `a place in a trace follows the key and is read back`() throws {
        var arrival = Samples.arrival(Samples.payment("E-1"))
        let place = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        arrival.trace = place
        let bytes = arrival.record(Self.paid)
        #expect(
            String(decoding: bytes, as: UTF8.self).contains(
                #""key":"1","trace":"\#(place)","outcome":"recorded","#))
        let read = try bytes.withUnsafeBytes { bytes in
            let reader = try RecordReader(bytes, [])
            return reader.string(reader.trace)
        }
        #expect(read == place)
    }

    @Test func `a conflict names what it conflicts with`() {
        var content = Self.paid
        content.outcome = .conflict
        content.conflictsWith = 7
        content.flags = [.conflict]
        let text = Self.encode(content, Samples.arrival(Samples.refund("E-2")))
        #expect(
            text.contains(
                #""key":"1","outcome":"conflict","conflictsWith":7,"flags":["conflict"],"event""#))
        #expect(
            text.contains(
                #""effect":{"on":"refund","id":"REF-1","status":"succeeded","amount":{"#))
    }

    @Test func `what is ignored has no order and no effect`() {
        let content = RecordContent(
            sequence: 1, outcome: .ignored, conflictsWith: nil, flags: [.unknownKind], order: nil)
        var arrival = Samples.arrival(
            Notification(id: "T", kind: "activation", status: "ok", flags: [.unknownKind]))
        arrival.peer = ""
        let text = Self.encode(content, arrival)
        #expect(
            text.contains(
                #""flags":["unknown_kind"],"event":{"id":"T","kind":"activation","status":"ok","#
                    + #""flags":["unknown_kind"]},"request":{"#))
        #expect(text.hasSuffix(#""body":"{\"id\":\"T\"}"}}"#))
    }

    @Test func `a body that is no text is written in Base64`() {
        let arrival = Samples.arrival(Samples.payment("E-1"), body: [0xff, 0x00, 0x41])
        #expect(Self.encode(Self.paid, arrival).contains(#""bodyBase64":"/wBB"},"#))
    }

    @Test func `header bytes are code points of the same number`() {
        var arrival = Samples.arrival(Samples.payment("E-1"))
        arrival.request.headers = [
            Header(name: [0x78][...], value: [0x41, 0xe9, 0x09, 0x22][...])
        ]
        #expect(Self.encode(Self.paid, arrival).contains(#"[["x","Aé\t\""]]"#))
    }

    @Test func `the record is appended to what is there`() {
        var bytes: [UInt8] = [1, 2, 3]
        Samples.arrival(Samples.payment("E-1")).append(Self.paid, to: &bytes)
        #expect(bytes[..<4] == [1, 2, 3, UInt8(ascii: "{")])
    }
}
