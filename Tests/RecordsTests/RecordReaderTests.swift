import Payments
import Testing

@testable import Records

@Suite struct RecordReaderTests {
    /// As a start reads it: no further than the event.
    private func replayed(_ record: [UInt8]) throws -> RecordedEvent {
        try record.withUnsafeBytes { try RecordedEvent(RecordReader($0, .event)) }
    }

    private func encode(_ notification: Notification, _ content: RecordContent) -> [UInt8] {
        Samples.arrival(notification).record(content)
    }

    @Test(arguments: RecordDecoderTests.effects)
    func `the event alone is the event of the whole record`(effect: Effect) throws {
        for isFull in [true, false] {
            for flags in [[], [Flag.testMode]] {
                let notification = Notification(
                    id: "id-1", kind: "payment", status: "paid",
                    occurred: isFull ? Timestamp(microseconds: 5) : nil,
                    reference: isFull ? "R-ü\"" : nil, transaction: isFull ? "T" : nil,
                    effect: effect, flags: flags)
                var content = RecordEncoderTests.paid
                content.flags = isFull ? [.conflict, .testMode] : []
                content.conflictsWith = isFull ? 3 : nil
                content.outcome = isFull ? .conflict : .recorded
                let record = encode(notification, content)
                let event = try replayed(record)
                #expect(event == (try RecordDecoder.event(record)))
                #expect(event.notification == notification)
            }
        }
    }

    @Test func `it reads no further than the parts that are wanted`() throws {
        let record = encode(Samples.payment("E-1"), RecordEncoderTests.paid)
        let event = record.firstRange(of: Array(#","order""#.utf8))!.lowerBound
        for length in 0..<event {
            #expect(throws: (any Error).self) { try replayed(Array(record[..<length])) }
        }
        _ = try replayed(Array(record[..<event]))
        let order = record.firstRange(of: Array(#","request""#.utf8))!.lowerBound
        try record[..<order].withUnsafeBytes { bytes in
            let order = try RecordReader(bytes, .order)
            let event = try RecordReader(bytes, .event)
            #expect(order.order != nil && order.event == nil)
            #expect(event.event != nil && event.order == nil)
        }
    }

    @Test func `the head ends before the request`() throws {
        let record = encode(Samples.payment("E-1"), RecordEncoderTests.paid)
        let end = record.firstRange(of: Array(#","request""#.utf8))!.lowerBound
        try record.withUnsafeBytes { bytes in
            let reader = try RecordReader(bytes, .end)
            #expect(reader.headEnd == end && !reader.isInquiry)
            #expect(reader.head == Array(record[..<end]) + [UInt8(ascii: "}")])
        }
    }

    /// Names in any order, with white space and with escapes.
    @Test func `it reads any JSON of the schema`() throws {
        let text = #"""
            { "event" : {"status":"s", "effect":{"amount":{"currency":"MYR","minor":-5},
              "status":"paid","on":"attempt"}, "k\u0069nd":"k", "id":"i\n", "x":[{"id":1}]},
              "outcome":"recorded", "provider":"p", "endpoint":"e",
              "received":"2026-11-21T07:00:00Z", "sequence":3, "schema":1 , "request":{} }
            """#
        let event = try RecordDecoder.event(Array(text.utf8))
        #expect(event.sequence == 3)
        #expect(
            event.notification
                == Notification(
                    id: "i\n", kind: "k", status: "s",
                    effect: .attempt(.paid, Samples.money(-5))))
    }

    @Test func `every bit flip in the event is read alike or not at all`() throws {
        let record = encode(Samples.payment("E-1"), RecordEncoderTests.paid)
        let end = record.firstRange(of: Array(#","order""#.utf8))!.lowerBound
        for index in 0..<end {
            for bit in 0..<8 {
                var flipped = record
                flipped[index] ^= 1 << bit
                guard let general = try? RecordDecoder.event(flipped) else { continue }
                #expect(try replayed(flipped) == general)
            }
        }
    }

    @Test func `names of all lengths are found`() throws {
        enum Member: String, CaseIterable {
            case a, ab, abcdefgh, abcdefghi, abcdefghijklmnop, sequence, status
        }
        let table = MemberTable<Member>()
        for (number, member) in Member.allCases.enumerated() {
            for start in 0...Member.allCases.count {
                var place = start
                #expect(table.find(MemberName(member.rawValue), from: &place) == member)
                #expect(place == number + 1)
            }
            for bytes in [Array(member.rawValue.utf8), Array((member.rawValue + "\"").utf8)] {
                let count = member.rawValue.utf8.count
                let name = bytes.withUnsafeBytes { MemberName($0, at: 0..<count) }
                var place = 0
                #expect(table.find(name, from: &place) == member)
            }
        }
        for other in ["", "b", "abcdefghijklmnopq", "abcdefgX", "statuz", "abcdefghXjklmnop"] {
            var place = 0
            #expect(table.find(MemberName(other), from: &place) == nil)
        }
        #expect(MemberName.bytesMax == 16)
    }
}
