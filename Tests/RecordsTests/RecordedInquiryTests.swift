import Bytes
import Payments
import Testing

@testable import Records

@Suite struct RecordedInquiryTests {
    private static func arrival(body: [UInt8] = Array(#"{"a":"é\n"}"#.utf8)) -> SampleArrival {
        var notification = Samples.payment("inquiry:payment:PAY-1:paid")
        notification.kind = Notification.inquiryKind
        var arrival = Samples.arrival(notification, body: Array("{}".utf8))
        arrival.inquiry = RecordedInquiry(
            trust: "signature", status: 200, headers: [Header("client-id", "C")], body: body)
        return arrival
    }

    /// Golden bytes: both sides are in the request's place.
    @Test func `both sides stand in the request's place`() throws {
        let text = String(
            decoding: Self.arrival().record(RecordEncoderTests.paid), as: UTF8.self)
        #expect(
            text.contains(
                #""event":{"id":"inquiry:payment:PAY-1:paid","kind":"inquiry","status":"paid","#))
        let tail =
            #","inquiry":{"trust":"signature","request":{"method":"POST","#
            + #""target":"/ipn/antom","headers":[["client-id","SANDBOX_1"]],"body":"{}"},"#
            + #""answer":{"status":200,"headers":[["client-id","C"]],"#
            + #""body":"{\"a\":\"é\\n\"}"}}}"#
        #expect(text.hasSuffix(tail))
    }

    @Test(arguments: [false, true])
    func `both sides come back byte for byte`(_ base64: Bool) throws {
        for body in [[], [0xff, 0x00], Array("{\"\u{1}\":\"é\"}".utf8)] as [[UInt8]] {
            let arrival = Self.arrival(body: body)
            let record = arrival.record(RecordEncoderTests.paid, base64: base64)
            let (request, inquiry) = try RecordDecoder.inquiry(record)
            #expect(request == arrival.request)
            #expect(inquiry == arrival.inquiry)
        }
    }

    @Test func `it is no request to send again or to verify`() throws {
        let record = Self.arrival().record(RecordEncoderTests.paid)
        let event = try RecordDecoder.event(record)
        #expect(event.isInquiry && !event.hasRequest)
        #expect(event.notification.isInquiry)
        #expect(throws: RecordError.self) { try RecordDecoder.request(record) }
        let plain = Samples.arrival(Samples.payment("E")).record(RecordEncoderTests.paid)
        #expect(try RecordDecoder.event(plain).hasRequest)
        #expect(try !RecordDecoder.event(plain).isInquiry)
    }

    @Test func `the head ends before both sides`() throws {
        let arrival = Self.arrival()
        let record = arrival.record(RecordEncoderTests.paid)
        let head = try record.withUnsafeBytes { try RecordHead.bytes(of: $0) }
        let text = String(decoding: head, as: UTF8.self)
        #expect(text.hasSuffix("}}") && !text.contains("client-id") && text.contains("captured"))
        var bytes: [UInt8] = []
        let end = RecordEncoder.append(
            RecordEncoderTests.paid, of: arrival.notification,
            from: RecordOrigin(
                received: Timestamp(microseconds: 1_795_244_400_123_456), endpoint: "antom",
                provider: "antom", key: "1"),
            request: arrival.request, inquiry: arrival.inquiry, peer: "", to: &bytes)
        #expect(Array(bytes[..<end]) + [UInt8(ascii: "}")] == head)
    }

    @Test func `a start reads it as any other`() throws {
        let record = Self.arrival().record(RecordEncoderTests.paid)
        var event = try RecordDecoder.event(record)
        let replayed = try record.withUnsafeBytes { try RecordedEvent(RecordReader($0, .event)) }
        // What follows the event is not read.
        #expect(event.isInquiry && !replayed.isInquiry)
        event.isInquiry = false
        #expect(replayed == event)
        let row = try record.withUnsafeBytes {
            try OrderRow(RecordReader($0, [.event, .order]))
        }
        #expect(row?.sequence == 42)
    }
}
