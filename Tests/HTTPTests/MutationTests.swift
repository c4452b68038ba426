import TestSupport
import Testing

@testable import HTTP

/// Valid streams with random damage. Nothing may crash, the split must not matter, and the parser
/// must never see more requests or other bodies than an independent reader of the grammar.
@Suite struct MutationTests {
    private static let seeds: [String] = [
        "GET /a?b=%41 HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
        "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5\r\nhello\r\n1;a=b\r\n!\r\n0\r\nT: v\r\n\r\n",
        "POST /a HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
        "HEAD http://a/b HTTP/1.1\r\nHost: a\r\nConnection: x, close\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: [::1]:80\r\nExpect: 100-continue\r\nContent-Length: 37\r\n\r\n"
            + "GET /x HTTP/1.1\r\nHost: smuggled\r\n\r\n\r\n",
    ]

    /// Octets and words that affect framing, which are inserted.
    private static let inserts: [String] = [
        "\r", "\n", "\r\n", " ", "\t", "\0", ":", ";", ",", "0", "5", "-", "\u{80}", "\u{7F}", "%",
        "\"",
        "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Host: b\r\n", "\r\n\r\n",
        "Connection: close\r\n", "HTTP/1.1", "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    ]

    private static func damaged(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            bytes += latin1(seeds.randomElement(using: &generator) ?? "")
        }
        for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2:
                bytes.insert(
                    contentsOf: latin1(inserts.randomElement(using: &generator) ?? ""), at: place)
            case 3:
                bytes.removeSubrange(
                    place..<min(bytes.count, place + Int.random(in: 1...4, using: &generator)))
            default:
                let end = min(bytes.count, place + Int.random(in: 1...40, using: &generator))
                bytes.insert(contentsOf: bytes[place..<end], at: place)
            }
        }
        return bytes
    }

    @Test(arguments: 0..<40)
    func `yield no more than the reference allows`(_ round: Int) {
        var generator = SeededGenerator(seed: UInt64(round))
        for _ in 0..<100 {
            let bytes = Self.damaged(&generator)
            let whole = EchoConnection(bytes)
            let bodies = whole.requests.map { text($0.body) }
            let reference = ReferenceReader(bytes)
            #expect(reference.bodies.starts(with: bodies), "\(text(bytes).debugDescription)")
            if reference.isRefused, bodies.count == reference.bodies.count, !whole.isClosed {
                Issue.record("waits where the grammar is broken: \(text(bytes).debugDescription)")
            }
            for split in [Split.everyByte, .random(seed: UInt64(round))] {
                let connection = EchoConnection(bytes, split: split)
                #expect(connection.answers == whole.answers, "\(text(bytes).debugDescription)")
            }
        }
    }

    /// The damage must leave both accepted and refused streams.
    @Test func `contain good and bad ones`() {
        var generator = SeededGenerator(seed: 7)
        let outcomes = (0..<400).map { _ in EchoConnection(Self.damaged(&generator)) }
        #expect(outcomes.count { !$0.requests.isEmpty } > 100)
        #expect(outcomes.count { !$0.errors.isEmpty } > 100)
        #expect(Set(outcomes.compactMap { $0.answers.last?.reason }).count > 10)
    }

    /// Without damage, both readers agree on everything.
    @Test(arguments: seeds)
    func `the reference agrees on what is valid`(_ stream: String) {
        let reference = ReferenceReader(latin1(stream))
        let connection = EchoConnection(latin1(stream))
        #expect(reference.bodies.count == 1 && !reference.isRefused)
        #expect(connection.requests.map { text($0.body) } == reference.bodies)
    }

    @Test(arguments: 0..<20)
    func `noise is refused or waited for`(_ round: Int) {
        var generator = SeededGenerator(seed: UInt64(round) &+ 1000)
        for _ in 0..<100 {
            let count = Int.random(in: 0...300, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(EchoConnection(bytes, split: .random(seed: 4)).requests.isEmpty)
        }
    }
}
