import Payments
import TestSupport
import Testing

@testable import Records

/// The records of one request that reported several events.
@Suite struct RecordPartTests {
    private static func record(
        _ sequence: UInt64, _ part: RecordPart?, id: String = "E-1", body: String = "{}"
    ) -> [UInt8] {
        var arrival = Samples.arrival(Samples.payment(id), body: Array(body.utf8))
        arrival.part = part
        var content = RecordEncoderTests.paid
        content.sequence = sequence
        return arrival.record(content)
    }

    @Test func `the record that holds the request says which event it is`() {
        let text = String(
            decoding: Self.record(42, RecordPart(number: 1, count: 3)), as: UTF8.self)
        #expect(
            text.contains(
                #""key":"1","part":{"number":1,"count":3},"outcome":"recorded","flags""#))
        #expect(text.hasSuffix(#","body":"{}"},"peer":"203.0.113.7"}"#))
    }

    @Test func `the others name that record and have no request`() throws {
        let record = Self.record(43, RecordPart(holder: 42, number: 2, count: 3))
        let text = String(decoding: record, as: UTF8.self)
        #expect(
            text.contains(
                #""key":"1","part":{"of":42,"number":2,"count":3},"outcome":"recorded","flags""#))
        #expect(!text.contains("request") && !text.contains("peer"))
        #expect(text.hasSuffix(#""captured":{"minor":4200,"currency":"MYR"}}}"#))
        #expect(try record.withUnsafeBytes { try RecordReader($0, .end).head } == record)
    }

    @Test func `what was written is read back`() throws {
        var generator = SeededGenerator(seed: 38)
        for _ in 0..<500 {
            let count = Int.random(in: 1...4096, using: &generator)
            let holder = Bool.random(using: &generator) ? generator.next() >> 1 : nil
            let part =
                generator.once(in: 5)
                ? nil
                : RecordPart(
                    holder: holder, number: Int.random(in: 1...count, using: &generator),
                    count: count)
            let record = Self.record(42, part)
            let event = try RecordDecoder.event(record)
            #expect(event.part == part)
            #expect(event.isReceived && event.hasRequest == (part?.holder == nil))
            #expect(
                event
                    == RecordedEvent(
                        sequence: 42, received: event.received, endpoint: "antom",
                        provider: "antom", key: "1", outcome: .recorded, conflictsWith: nil,
                        part: part, notification: Samples.payment("E-1")))
        }
    }

    @Test(arguments: [
        #"{"count":3}"#, #"{"number":1}"#, #"{"number":0,"count":3}"#, #"{"number":4,"count":3}"#,
        #"{"of":-1,"number":1,"count":3}"#, #"{"of":"1","number":1,"count":3}"#, "[]", "1",
    ])
    func `a part that makes no sense is refused`(part: String) throws {
        let text = String(
            decoding: Self.record(42, RecordPart(number: 1, count: 3)), as: UTF8.self
        ).replacing(#"{"number":1,"count":3}"#, with: part)
        #expect(throws: RecordError.self) { try RecordDecoder.event(Array(text.utf8)) }
    }

    @Test func `the request of every record is found among those that are read in order`() throws {
        var finder = RequestFinder()
        func body(_ record: [UInt8]) throws -> String? {
            let event = try RecordDecoder.event(record)
            let request = try record.withUnsafeBytes { try finder.request(of: event, $0) }
            return request.map { String(decoding: $0.body, as: UTF8.self) }
        }
        let part = RecordPart(number: 1, count: 3)
        #expect(try body(Self.record(2, part.held(by: 1))) == nil, "reading began after it")
        #expect(try body(Self.record(3, nil, body: "alone")) == "alone")
        #expect(try body(Self.record(4, part, body: "first")) == "first")
        #expect(try body(Self.record(5, part.held(by: 4))) == "first")
        #expect(try body(Self.record(6, nil, body: "alone")) == "alone")
        #expect(try body(Self.record(7, part.held(by: 4))) == "first")
        #expect(try body(Self.record(8, part, body: "second")) == "second")
        #expect(try body(Self.record(9, part.held(by: 8))) == "second")
        #expect(try body(Self.record(10, part.held(by: 4))) == nil, "never another request")
    }
}
