import Testing
import Yams

@testable import ServerConfiguration

/// The insertion adds the item and changes no other byte.
@Suite struct EndpointInsertionTests {
    private let insertion = EndpointInsertion(members: [
        .init("name", .text("new")), .init("mode", .text("on")),
        .init("fields", .block([.init("id", .list([.text("/a b")]))])),
    ])

    private func text(_ old: String) -> String? {
        insertion.text(of: Array(old.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static let item =
        "- name: new\n  mode: \"on\"\n  fields:\n    id: [\"/a b\"]\n"

    private static func indented(_ spaces: String, _ end: String = "\n") -> String {
        item.split(separator: "\n").map { "\(spaces)\($0)\(end)" }.joined()
    }

    @Test(arguments: [
        // before, after
        ("endpoints:\n  - name: a\n", ""),
        ("endpoints:\n  - {name: a}   # why\n", "\n# about b\nb: 1\n"),
        ("a: 1\nendpoints:\n    - name: a\n      x: 1\n    # - name: old\n", "b: 1\n"),
        ("endpoints:\n- name: a\n", "\n# next\nb: 1\n"),
        ("endpoints:\n  - name: a\n    x: |\n      # text\n\n      more\n", "\nb: 1\n"),
        ("\u{FEFF}---\nendpoints:\n  - name: a\n", "...\n"),
        ("endpoints: &e\n  - &x {name: a}\n", "b: *x\n"),
    ])
    func `an item is appended to a list`(_ before: String, _ after: String) throws {
        let indent = before.contains("    - ") ? "    " : before.contains("\n- ") ? "" : "  "
        #expect(text(before + after) == before + Self.indented(indent) + after)
    }

    @Test func `line ends are the file's own`() {
        let old = "endpoints:\r\n  - name: a\r\n\r\nb: 1\r\n"
        #expect(
            text(old) == "endpoints:\r\n  - name: a\r\n" + Self.indented("  ", "\r\n")
                + "\r\nb: 1\r\n")
        #expect(
            text("endpoints:\n  - name: a") == "endpoints:\n  - name: a\n" + Self.indented("  "))
    }

    @Test(arguments: [
        ("endpoints: [{name: a}", "]\nb: []\n"), ("endpoints: [\n  {name: \"]\"}", "]\n"),
        ("endpoints: &e [{name: a, x: [1]}", "]   # why\n"),
        ("endpoints: [ # ]\n  {name: a} # b\n  ", "]\n"),
    ])
    func `a list in one line grows`(_ before: String, _ after: String) {
        let item = "{name: new, mode: \"on\", fields: {id: [\"/a b\"]}}"
        #expect(text(before + after) == "\(before), \(item)\(after)")
        #expect(text("endpoints: []\n") == "endpoints: [\(item)]\n")
    }

    @Test func `a comma at the end of a list in one line is not doubled`() {
        let item = "{name: new, mode: \"on\", fields: {id: [\"/a b\"]}}"
        #expect(
            text("endpoints: [\n  {name: a},\n]\n")
                == "endpoints: [\n  {name: a},\n \(item)]\n")
    }

    /// As in the file that the Debian package installs.
    @Test(arguments: ["endpoints:\n", "endpoints:   # none yet\n", "endpoints: ~\n"])
    func `a list that is not there yet begins`(_ old: String) {
        let key = old.contains("~") ? nil : old
        #expect(
            text("a: 1\n\(old)  # an example\nb: 1\n")
                == key.map { "a: 1\n\($0)\(Self.indented("  "))  # an example\nb: 1\n" })
    }

    @Test func `a file without endpoints gets them`() {
        #expect(text("a: 1\n") == "a: 1\nendpoints:\n" + Self.indented("  "))
    }

    @Test(arguments: ["", "[1]\n", "endpoints: 1\n", "a: [\n", "endpoints:\n  -\n    name: a\n"])
    func `what cannot be proved is not touched`(_ old: String) {
        let new = text(old)
        #expect(new == nil || new?.hasPrefix(old) == true)
    }

    /// Text that YAML would read as another type is quoted.
    @Test(arguments: ["yes", "Null", "1", "a: b", "#a", "", "~", "a\"b\\", "x\u{1}\n", "*a", "é"])
    func `texts are read as they were`(_ word: String) throws {
        let insertion = EndpointInsertion(members: [.init("name", .text(word))])
        let new = try #require(insertion.text(of: Array("endpoints: []\n".utf8)))
        let reading = DecodingContext(file: "f", folder: "/", environment: [:])
        let root = YAMLText(String(decoding: new, as: UTF8.self)).root(reading)
        #expect(root?["endpoints"]?.sequence?.first?["name"]?.scalar?.string == word)
        #expect(root?["endpoints"]?.sequence?.first?["name"]?.string == word)
    }
}
