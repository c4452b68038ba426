import JSON
import Testing

@Suite struct JSONValueMembersTests {
    private let root: JSONValue

    init() throws {
        let text = #"""
            {"z":1,"a":{"x":[10,[20,21],{"y":30}],"a":true},"":"empty","q\u0075\/o":null,
             "😀":"smile","é":"composed"}
            """#
        root = try JSONDocument(parsing: Array(text.utf8)).root
    }

    @Test func `members and elements come in document order with decoded names`() {
        #expect(root.members.map(\.key) == ["z", "a", "", "qu/o", "😀", "é"])
        #expect(root["a"]?.members.map(\.key) == ["x", "a"])
        #expect(root["a"]?["x"]?.elements.map(\.kind) == [.number, .array, .object])
        #expect(root["a"]?["x"]?.elements.map { $0.elements.count { _ in true } } == [0, 2, 0])
    }

    @Test func `members and elements are found by name escaped or not`() {
        #expect(root["z"]?.int64 == 1)
        #expect(root[""]?.string == "empty")
        #expect(root["qu/o"]?.isNull == true)
        #expect(root["😀"]?.string == "smile")
        #expect(root["a"]?["a"]?.bool == true)
    }

    @Test(arguments: ["Z", "x", "y", "zz", "q\\u0075\\/o", "qu", "e\u{301}", "\0"])
    func `are not found by what only looks like the name`(_ name: String) {
        #expect(root[name] == nil)
    }
}
