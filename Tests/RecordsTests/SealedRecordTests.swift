import Bytes
import Cryptography
import JSON
import Payments
import Sealing
import Testing

@testable import Records

@Suite struct SealedRecordTests {
    private static let ring = KeyRing(randomFor: "00112233445566778899aabbccddeeff")

    /// Records of every kind that has a personal part.
    private static func records() -> [[UInt8]] {
        var arrival = Samples.arrival(Samples.payment("E-1"))
        var inquiry = arrival
        inquiry.inquiry = RecordedInquiry(
            trust: "tls", status: 200, headers: [], body: Array(#"{"payer":"Ada"}"#.utf8))
        var shared = arrival
        shared.part = RecordPart(number: 1, count: 2)
        arrival.peer = ""
        var registered: [UInt8] = []
        RecordEncoder.append(
            content, of: expectation(#"{"name":"Ada"}"#), reference: "R-1", from: origin,
            peer: "192.0.2.9", to: &registered)
        return [arrival, inquiry, shared].map { $0.record(content) } + [
            Samples.arrival(Samples.payment("E-2"), body: [0xff, 0]).record(content), registered,
        ]
    }

    private static let content: RecordContent = {
        var content = RecordEncoderTests.paid
        content.sequence = 17
        return content
    }()

    private static let origin = RecordOrigin(
        received: Timestamp(microseconds: 1), endpoint: "antom", provider: "antom", key: nil)

    private static func expectation(_ metadata: String) -> RegisteredExpectation {
        RegisteredExpectation(
            expectation: Expectation(amount: Samples.money(5), expires: nil),
            metadata: Array(metadata.utf8))
    }

    private static func head(_ record: [UInt8]) throws -> [UInt8] {
        try record.withUnsafeBytes { try RecordHead.bytes(of: $0) }
    }

    private static func shown(_ record: [UInt8]) throws -> [UInt8] {
        try record.withUnsafeBytes { try RecordHead.withoutPersonalData($0) }
    }

    /// The record as a store with this ring keeps it.
    private func seal(_ record: [UInt8], _ ring: KeyRing = ring) throws -> [UInt8] {
        let reader = try record.withUnsafeBytes { try RecordReader($0, .end).headEnd }
        var sealer = RecordSealer(ring)
        // Something that is in the frame before it.
        var bytes = [1, 2, 3] + record
        sealer.seal(&bytes, from: 3, headEnd: 3 + reader, of: 17)
        #expect(Array(bytes[..<(3 + reader)]) == [1, 2, 3] + record[..<reader])
        return Array(bytes[3...])
    }

    @Test(arguments: records())
    func `an opened record is the same, byte for byte`(_ record: [UInt8]) throws {
        let sealed = try seal(record)
        #expect(sealed != record)
        var opener = RecordOpener(Self.ring)
        #expect(try opener.open(sealed) == record)
        #expect(try opener.open(record) == record)
        _ = try JSONDocument(parsing: sealed)
    }

    @Test(arguments: records())
    func `a sealed record has the same head and event`(_ record: [UInt8]) throws {
        let sealed = try seal(record)
        let (head, sealedHead) = (try Self.head(record), try Self.head(sealed))
        #expect(sealedHead == head)
        let (shown, sealedShown) = (try Self.shown(record), try Self.shown(sealed))
        #expect(sealedShown == shown)
        let (event, sealedEvent) = (
            try RecordDecoder.event(record), try RecordDecoder.event(sealed)
        )
        #expect(sealedEvent == event)
        #expect(throws: (any Error).self) { try RecordDecoder.request(sealed) }
        #expect(try sealed.withUnsafeBytes { try PersonalPart(of: $0) } == .sealed)
        #expect(try record.withUnsafeBytes { try PersonalPart(of: $0) } == .open)
    }

    /// Neither as they are nor in any shape that a search would find.
    @Test(arguments: records())
    func `nothing of the personal part is readable`(_ record: [UInt8]) throws {
        let sealed = try seal(record)
        for secret in ["SANDBOX_1", "203.0.113.7", "192.0.2.9", "Ada\"}", "/ipn/antom"]
        where !["Ada\"}"].contains(secret) || record.firstRange(of: Array("payer".utf8)) != nil {
            #expect(sealed.firstRange(of: Array(secret.utf8)) == nil, "\(secret)")
        }
    }

    @Test func `a destroyed key leaves the head`() throws {
        let record = Samples.arrival(Samples.payment("E-1")).record(Self.content)
        let sealed = try seal(record)
        var ring = Self.ring
        ring.destroy([17...17])
        var opener = RecordOpener(ring)
        let erased = try opener.open(sealed)
        let head = try Self.head(record)
        #expect(erased == Array(head.dropLast()) + Array(#","erased":"request"}"#.utf8))
        let (event, left) = (try RecordDecoder.event(record), try RecordDecoder.event(erased))
        #expect(left == event)
        #expect(try erased.withUnsafeBytes { try PersonalPart(of: $0) } == .erased)
    }

    @Test func `a changed record is refused`() throws {
        let sealed = try seal(Samples.arrival(Samples.payment("E-1")).record(Self.content))
        // In the head, in the box, and in the name of what was sealed.
        for (old, new) in [("REQ-1", "REQ-2"), ("4200", "4201"), ("PAY-1", "PAY-2")] {
            var opener = RecordOpener(Self.ring)
            let changed = Array(
                String(decoding: sealed, as: UTF8.self).replacing(old, with: new).utf8)
            #expect(throws: RecordError.value("sealed"), "\(old)") { try opener.open(changed) }
        }
        let start = try #require(sealed.firstRange(of: Array(#""bytes":""#.utf8))).upperBound
        for place in start..<sealed.count - 3 {
            var changed = sealed
            changed[place] =
                changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            var opener = RecordOpener(Self.ring)
            #expect(throws: RecordError.value("sealed")) { try opener.open(changed) }
        }
        // The part of another record.
        var opener = RecordOpener(Self.ring)
        let other = Array(
            String(decoding: sealed, as: UTF8.self)
                .replacing(#""sequence":17"#, with: #""sequence":18"#).utf8)
        #expect(throws: RecordError.value("sealed")) { try opener.open(other) }
    }

    @Test func `two records with the same content have nothing sealed in common`() throws {
        let record = Samples.arrival(Samples.payment("E-1")).record(Self.content)
        let (one, two) = (try seal(record), try seal(record))
        #expect(one != two)
    }

    // MARK: - Metadata

    @Test func `metadata is sealed within the head, and opened there`() throws {
        let metadata = #"{"name":"Ada","note":"}}\"","of":{"a":[1]}}"#
        var sealer = RecordSealer(Self.ring)
        let plain = Self.expectation(metadata)
        var hidden = plain
        hidden.metadata = sealer.sealed(metadata: plain.metadata, of: 17)
        func record(_ registered: RegisteredExpectation) -> [UInt8] {
            var bytes: [UInt8] = []
            RecordEncoder.append(
                Self.content, of: registered, reference: "R-1", from: Self.origin,
                peer: "192.0.2.9", to: &bytes)
            return bytes
        }
        let sealed = try seal(record(hidden))
        #expect(sealed.firstRange(of: Array("Ada".utf8)) == nil)
        var opener = RecordOpener(Self.ring)
        #expect(try opener.open(sealed) == record(plain))
        #expect(try opener.open(metadata: hidden.metadata) == plain.metadata)
        #expect(try opener.open(metadata: plain.metadata) == nil)
        #expect(try RecordDecoder.event(sealed).registered == hidden)
        var ring = Self.ring
        ring.destroy([17...17])
        opener = RecordOpener(ring)
        let erased = String(decoding: try opener.open(sealed), as: UTF8.self)
        #expect(erased.contains(#""metadata":{"erased":true}}}"#), "\(erased)")
        #expect(erased.hasSuffix(#","erased":"peer"}"#))
        #expect(try opener.open(metadata: hidden.metadata) == Array(#"{"erased":true}"#.utf8))
        _ = try JSONDocument(parsing: Array(erased.utf8))
    }

    @Test func `equal metadata is recognised, and nobody can find it by trying`() {
        var sealer = RecordSealer(Self.ring)
        func compared(_ metadata: String, _ sequence: UInt64) -> [UInt8] {
            var registered = Self.expectation(metadata)
            registered.metadata = sealer.sealed(metadata: registered.metadata, of: sequence)
            return registered.comparedBytes
        }
        #expect(compared(#"{"a":1}"#, 3) == compared(#"{"a":1}"#, 4))
        #expect(compared(#"{"a":1}"#, 3) != compared(#"{"a":2}"#, 3))
        #expect(compared("", 3) == Self.expectation("").comparedBytes)
        let digest = Hex.encode(Array(SHA256.hash(Array(#"{"a":1}"#.utf8)).prefix(16)))
        #expect(compared(#"{"a":1}"#, 3).firstRange(of: Array(digest.utf8)) == nil)
    }

    @Test func `sealed metadata of another record or of another kind is refused`() throws {
        var sealer = RecordSealer(Self.ring)
        let sealed = sealer.sealed(metadata: Array(#"{"a":1}"#.utf8), of: 3)
        var moved = try #require(SealedMetadata(sealed))
        moved.record = 4
        var opener = RecordOpener(Self.ring)
        #expect(throws: RecordError.value("event.expectation.metadata")) {
            try opener.open(metadata: moved.bytes)
        }
        for text in ["{}", #"{"sealed":1}"#, #"{"sealed":{"record":1}}"#, #"{"sealed":{"record":"#]
        {
            #expect(SealedMetadata(Array(text.utf8)) == nil)
        }
    }
}
