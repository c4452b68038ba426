import JSON
import Testing

@Suite struct JSONValuePointerTests {
    /// The document and the pointers of RFC 6901 §5.
    private static let text = #"""
        {"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}
        """#

    @Test(arguments: [
        ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/foo/1", #""baz""#), ("/", "0"),
        ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"), (#"/i\j"#, "5"),
        (#"/k"l"#, "6"), ("/ ", "7"), ("/m~0n", "8"),
    ])
    func `finds what RFC 6901 says`(pointer: String, raw: String) throws {
        let root = try JSONDocument(parsing: Array(Self.text.utf8)).root
        #expect(root.at(pointer: pointer).map { Array($0.rawBytes) } == Array(raw.utf8))
    }

    @Test func `a JSON pointer that is empty is the value itself`() throws {
        let root = try JSONDocument(parsing: Array(Self.text.utf8)).root
        #expect(root.at(pointer: "")?.rawBytes == root.rawBytes)
        #expect(root["foo"]?.at(pointer: "/1")?.string == "baz")
    }

    @Test(arguments: [
        "foo", "/nothing", "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/-1",
        "/foo/", "/foo/0/x", "/foo/99999999999999999999", "/a~b", "/m~2n", "/m~", "/a/b",
        "/foo/\u{0661}",
    ])
    func `finds nothing where nothing is, or when it is not well-formed`(pointer: String) throws {
        let root = try JSONDocument(parsing: Array(Self.text.utf8)).root
        #expect(root.at(pointer: pointer) == nil)
    }
}
