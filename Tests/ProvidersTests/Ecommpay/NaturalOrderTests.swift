import TestSupport
import Testing

@testable import Providers

@Suite struct NaturalOrderTests {
    /// In ascending order, as PHP sorts them.
    @Test(arguments: [
        ["img1.png", "img2.png", "img10.png", "img12.png"],
        ["0001", "002", "3", "10"], ["a", "a0", "a1", "a1a", "a1b", "a2", "a10", "a20"],
        ["x2-g8", "x2-y08", "x2-y7", "x8-y8"],
        ["1.001", "1.002", "1.010", "1.02", "1.1", "1.3"], ["", "a"], ["A", "a"],
        ["pic   5", "pic 6", "pic7 x", "pic7x"],
    ])
    func `is rising`(_ texts: [String]) {
        for (left, right) in zip(texts, texts.dropFirst()) {
            #expect(NaturalOrder.compare(left, right) < 0, "\(left) \(right)")
            #expect(NaturalOrder.compare(right, left) > 0, "\(right) \(left)")
        }
    }

    @Test(arguments: [("a", "a"), ("007", "7"), ("a b", "ab"), ("", "")])
    func `counts as equal`(_ left: String, _ right: String) {
        #expect(NaturalOrder.compare(left, right) == 0)
    }

    /// Exchanging two strings reverses the result, and no read passes the end of one.
    @Test func `is antisymmetric`() {
        var random = SeededGenerator(seed: 3)
        let letters = Array("ab01 :-".utf8)
        func text() -> [UInt8] {
            (0..<Int.random(in: 0..<8, using: &random)).map { _ in
                letters.randomElement(using: &random)!
            }
        }
        for _ in 0..<20_000 {
            let (left, right) = (text(), text())
            let forward = NaturalOrder.compare(left[...], right[...]).signum()
            #expect(forward == -NaturalOrder.compare(right[...], left[...]).signum())
        }
    }

    /// If the beginnings of two paths are plain and differ, they alone decide the order.
    @Test func `plain beginnings are ordered as their bytes`() {
        var random = SeededGenerator(seed: 4)
        let letters = Array("ab_:z:ab_:z09 \t;é".utf8)
        func text() -> [UInt8] {
            (0..<Int.random(in: 0..<24, using: &random)).map { _ in
                letters[..<(Bool.random(using: &random) ? 10 : letters.count)]
                    .randomElement(using: &random)!
            }
        }
        var plainCount = 0
        for _ in 0..<10_000 {
            let (left, right) = (text(), text())
            let first = left.span.firstSixteen(of: left.indices)
            let second = right.span.firstSixteen(of: right.indices)
            guard NaturalOrder.isPlain(first, byteCount: left.count),
                NaturalOrder.isPlain(second, byteCount: right.count), first != second
            else { continue }
            plainCount += 1
            #expect((first < second) == (NaturalOrder.compare(left[...], right[...]) < 0))
        }
        #expect(plainCount > 1_000)
        for byte in UInt8.min...UInt8.max {
            let isPlain = NaturalOrder.isPlain([byte].span.firstSixteen(of: 0..<1), byteCount: 1)
            #expect(isPlain == (byte > UInt8(ascii: "9")))
        }
    }
}
