import Bytes
import Payments
import Testing

@testable import Store

/// The record is a promise to everyone who reads the journal: its bytes are pinned here.
struct RecordEncoderTests {
    static func encode(
        _ content: RecordContent, _ submission: Submission, base64: Bool = false
    ) -> String {
        var bytes: [UInt8] = []
        RecordEncoder.append(content, of: submission, encodesBodyAsBase64: base64, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    static let paid = RecordContent(
        sequence: 42, outcome: .recorded, conflictsWith: nil, flags: [],
        order: OrderChange(
            reference: "REQ-1", transaction: "PAY-1", previous: .pending,
            summary: Order(reference: "REQ-1").applying(Samples.payment("E-1")).summary))

    @Test func aPaymentHasTheBytesOfTheDesign() {
        let text = Self.encode(Self.paid, Samples.submission(Samples.payment("E-1")))
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

    @Test func aConflictNamesWhatItConflictsWith() {
        var content = Self.paid
        content.outcome = .conflict
        content.conflictsWith = 7
        content.flags = [.conflict]
        let text = Self.encode(content, Samples.submission(Samples.refund("E-2")))
        #expect(
            text.contains(
                #""key":"1","outcome":"conflict","conflictsWith":7,"flags":["conflict"],"event""#))
        #expect(
            text.contains(
                #""effect":{"on":"refund","id":"REF-1","status":"succeeded","amount":{"#))
    }

    @Test func whatIsIgnoredHasNoOrderAndNoEffect() {
        let content = RecordContent(
            sequence: 1, outcome: .ignored, conflictsWith: nil, flags: [.unknownKind], order: nil)
        var submission = Samples.submission(
            Notification(id: "T", kind: "activation", status: "ok", flags: [.unknownKind]))
        submission.peer = ""
        let text = Self.encode(content, submission)
        #expect(
            text.contains(
                #""flags":["unknown_kind"],"event":{"id":"T","kind":"activation","status":"ok","#
                    + #""flags":["unknown_kind"]},"request":{"#))
        #expect(text.hasSuffix(#""body":"{\"id\":\"T\"}"}}"#))
    }

    @Test func aBodyThatIsNoTextIsWrittenInBase64() {
        let submission = Samples.submission(Samples.payment("E-1"), body: [0xff, 0x00, 0x41])
        #expect(Self.encode(Self.paid, submission).contains(#""bodyBase64":"/wBB"},"#))
    }

    @Test func headerBytesAreCodePointsOfTheSameNumber() {
        var submission = Samples.submission(Samples.payment("E-1"))
        submission.request.headers = [
            Header(name: [0x78][...], value: [0x41, 0xe9, 0x09, 0x22][...])
        ]
        #expect(Self.encode(Self.paid, submission).contains(#"[["x","Aé\t\""]]"#))
    }

    @Test func theRecordIsAppendedToWhatIsThere() {
        var bytes: [UInt8] = [1, 2, 3]
        RecordEncoder.append(
            Self.paid, of: Samples.submission(Samples.payment("E-1")), to: &bytes)
        #expect(bytes[..<4] == [1, 2, 3, UInt8(ascii: "{")])
    }
}
