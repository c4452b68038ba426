import Bytes
import Payments
import TestSupport
import Testing

@testable import Providers

/// Genuine deliveries of every provider after random changes: each is refused, or an unsigned part
/// was changed and the notification is the same.
@Suite struct TamperingTests {
    private static let happenings: [EventType] = [.paid, .failed, .refunded, .ignored]

    /// Makes one random change: flips, sets, removes, inserts or swaps a byte, or copies a range.
    private static func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard let last = bytes.indices.last else { return }
        let index = Int.random(in: 0...last, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[index] = .random(in: 0...255, using: &random)
        case 2: bytes.remove(at: index)
        case 3:
            bytes.insert(Array(#""{}[],:&=;%+. 0a"#.utf8).randomElement(using: &random)!, at: index)
        case 4:
            let end = min(last, index + Int.random(in: 0..<24, using: &random))
            bytes.insert(
                contentsOf: bytes[index...end], at: Int.random(in: 0...last, using: &random))
        default: bytes.swapAt(index, Int.random(in: 0...last, using: &random))
        }
    }

    @Test(arguments: try SenderTests.pairs())
    func `damaged bodies are refused or the same`(_ pair: SenderTests.Pair) throws {
        var random = SeededGenerator(seed: 5)
        for type in Self.happenings {
            guard let outbound = try? pair.sender.sign(.sample(type), path: "/ipn") else {
                continue
            }
            let genuine = outbound.delivery
            let expected = try pair.provider.receive(genuine)
            for _ in 0..<500 {
                var damaged = genuine
                for _ in 0...Int.random(in: 0..<3, using: &random) {
                    Self.damage(&damaged.body, &random)
                }
                guard pair.provider.refusal(damaged) == nil else { continue }
                let read = try pair.provider.receive(damaged)
                #expect(pair.fixture.isNoMore(read, expected), "\(damaged.bodyText)")
            }
        }
    }

    @Test(arguments: try SenderTests.pairs())
    func `damaged headers are refused or the same`(_ pair: SenderTests.Pair) throws {
        var random = SeededGenerator(seed: 6)
        let genuine = try pair.sender.sign(.sample(.paid), path: "/ipn").delivery
        let expected = try pair.provider.receive(genuine)
        for _ in 0..<1000 {
            var damaged = genuine
            let index = Int.random(in: 0..<damaged.headers.count, using: &random)
            var name = Array(damaged.headers[index].name)
            var value = Array(damaged.headers[index].value)
            if Bool.random(using: &random) {
                Self.damage(&value, &random)
            } else {
                Self.damage(&name, &random)
            }
            damaged.headers[index] = Header(name: name[...], value: value[...])
            guard pair.provider.refusal(damaged) == nil else { continue }
            var told = try pair.provider.receive(damaged)
            if !pair.fixture.signsIdentity { told.id = expected.id }
            #expect(told == expected)
        }
    }

    /// Bodies of any bytes, with well-formed headers.
    @Test(arguments: try SenderTests.pairs())
    func `bodies of any bytes are refused`(_ pair: SenderTests.Pair) throws {
        var random = SeededGenerator(seed: 7)
        let genuine = try pair.sender.sign(.sample(.paid), path: "/ipn").delivery
        let nested = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        var bodies: [[UInt8]] = [
            [], [0], [0xff, 0xfe], Array(nested.utf8), Array("{\"a\":\(nested)}".utf8),
            Array("{\"fields\":\"id\",\"sign\":\"\u{fffd}\"}".utf8),
            [0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d],
            Array(repeating: UInt8(ascii: "&"), count: 1 << 20),
            Array(repeating: UInt8(ascii: "{"), count: 1 << 20),
            Array(
                "{\"sign\":\"a\",\"fields\":\"\(String(repeating: "a,", count: 1 << 18))\"}".utf8),
        ]
        for _ in 0..<300 {
            let count = Int.random(in: 0..<200, using: &random)
            bodies.append((0..<count).map { _ in .random(in: 0...255, using: &random) })
        }
        for body in bodies {
            var delivery = genuine
            delivery.body = body
            #expect(pair.provider.refusal(delivery) != nil)
        }
    }
}
