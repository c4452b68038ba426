import JSON
import Testing

@Suite struct JSONLimitsTests {
    @Test(arguments: ["[", #"{"a":"#])
    func `the limits allow nesting up to depth max and not beyond`(_ opening: String) throws {
        let closing = opening == "[" ? "]" : "}"
        func nested(_ depth: Int) -> [UInt8] {
            let text =
                String(repeating: opening, count: depth) + "1"
                + String(repeating: closing, count: depth)
            return Array(text.utf8)
        }
        _ = try JSONDocument(parsing: nested(64))
        #expect(throws: JSONError.depth(64 * opening.utf8.count)) {
            try JSONDocument(parsing: nested(65))
        }
        _ = try JSONDocument(parsing: nested(3), limits: JSONLimits(depthMax: 3))
        #expect(throws: JSONError.depth(3 * opening.utf8.count)) {
            try JSONDocument(parsing: nested(4), limits: JSONLimits(depthMax: 3))
        }
    }

    @Test func `the limits count siblings at the same depth once`() throws {
        let limits = JSONLimits(depthMax: 2)
        _ = try JSONDocument(parsing: Array("[[],[],{},[1],[2]]".utf8), limits: limits)
    }

    @Test func `the limits of depth zero allow scalars only`() throws {
        let limits = JSONLimits(depthMax: 0)
        _ = try JSONDocument(parsing: Array("1".utf8), limits: limits)
        #expect(throws: JSONError.depth(0)) {
            try JSONDocument(parsing: Array("[]".utf8), limits: limits)
        }
    }

    /// The parser does not recurse: with a generous limit even a million levels use no stack.
    @Test(arguments: [10_000, 1_000_000])
    func `the limits keep no stack busy`(_ depth: Int) throws {
        let open = [UInt8](repeating: UInt8(ascii: "["), count: depth)
        #expect(throws: JSONError.depth(64)) { try JSONDocument(parsing: open) }
        let limits = JSONLimits(depthMax: depth, nodesMax: depth)
        #expect(throws: JSONError.truncated(depth)) {
            try JSONDocument(parsing: open, limits: limits)
        }
        let closed = open + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
        let document = try JSONDocument(parsing: closed, limits: limits)
        #expect(document.root.rawBytes.count == 2 * depth)
    }

    @Test func `the limits allow nodes max values and not one more`() throws {
        let limits = JSONLimits(nodesMax: 4)
        _ = try JSONDocument(parsing: Array("[1,2,3]".utf8), limits: limits)
        _ = try JSONDocument(parsing: Array(#"{"a":1,"b":2,"c":3}"#.utf8), limits: limits)
        #expect(throws: JSONError.nodes(7)) {
            try JSONDocument(parsing: Array("[1,2,3,4]".utf8), limits: limits)
        }
        #expect(throws: JSONError.nodes(10)) {
            try JSONDocument(parsing: Array("[[],[],[],[]]".utf8), limits: limits)
        }
    }
}
