import JSON
import Testing

@Suite struct DuplicateKeysTests {
    private func object(_ names: [String]) -> [UInt8] {
        Array("{\(names.map { "\"\($0)\":1" }.joined(separator: ","))}".utf8)
    }

    /// Every pair of places in objects of sizes around 32 members, where the method changes.
    @Test(arguments: [2, 3, 8, 16, 17, 31, 32, 33, 34, 64, 65], ["k", "aLongerMemberName"])
    func `are found wherever the two stand`(count: Int, prefix: String) throws {
        let names = (0..<count).map { "\(prefix)\($0)" }
        _ = try JSONDocument(parsing: object(names))
        for first in 0..<count - 1 {
            for second in [first + 1, (first + count) / 2, count - 1] where second > first {
                var changed = names
                changed[second] = names[first]
                let offset = object(Array(changed[..<second])).count
                #expect(throws: JSONError.duplicateKey(offset)) {
                    try JSONDocument(parsing: object(changed))
                }
            }
        }
    }

    @Test func `duplicate keys are compared after unescaping in large objects too`() throws {
        let names = (0..<100).map { "k\($0)" }
        _ = try JSONDocument(parsing: object(names + [#"\u006bx"#]))
        #expect(throws: JSONError.self) {
            try JSONDocument(parsing: object(names + [#"\u006b7"#]))
        }
    }

    /// A name has the same hint everywhere, even at the very end of a text, where no whole word can
    /// be read.
    @Test(arguments: 0...20)
    func `duplicate keys are found at the end of the text`(length: Int) {
        let name = String(repeating: "n", count: length)
        #expect(throws: JSONError.duplicateKey(6 + length)) {
            try JSONDocument(parsing: Array("{\"\(name)\":1,\"\(name)\":2}".utf8))
        }
    }

    @Test func `duplicate keys are looked for in fifty thousand members within the default limits`()
        throws
    {
        let names = (0..<50_000).map { "k\($0)" }
        let document = try JSONDocument(parsing: object(names))
        #expect(document.root.members.reduce(0) { count, _ in count + 1 } == 50_000)
        #expect(throws: JSONError.self) { try JSONDocument(parsing: object(names + ["k25000"])) }
    }

    /// Pairwise comparison would take 20 thousand million comparisons: many minutes.
    @Test
    func `duplicate keys do not make two hundred thousand members slow`() throws {
        let names = (0..<200_000).map { "k\($0)" }
        _ = try JSONDocument(parsing: object(names), limits: JSONLimits(nodesMax: 200_001))
    }

    /// Names with the same length, first and last eight bytes have the same hint.
    @Test func `duplicate keys are told from names with the same hint`() throws {
        let names = (0..<30).map { "abcdefgh\(10 + $0)stuvwxyz" }
        _ = try JSONDocument(parsing: object(names))
        #expect(throws: JSONError.self) {
            try JSONDocument(parsing: object(names + [names[7]]))
        }
    }

    /// Names with the same hint must not be compared with each other: 32 names of 4 kB would be 2
    /// MB of comparisons.
    @Test(arguments: [2, 31, 32, 33, 100], ["k", #"\u006b"#])
    func `duplicate keys cost a few times the text at most`(count: Int, letter: String) throws {
        let half = String(repeating: letter, count: 2000)
        let bytes = object((0..<count).map { "\(half)\(1000 + $0)\(half)" })
        #expect(try JSONDocument(parsing: bytes).comparedBytes <= 2 * bytes.count)
    }
}
