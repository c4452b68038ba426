import Testing

@testable import Bytes

@Suite struct TrimmingTests {
    @Test(arguments: [
        ("", ""), (" ", ""), (" \t ", ""), ("a", "a"), ("  a b\t", "a b"),
        ("\r\n a \n", "\r\n a \n"),
    ])
    func `blanks go at both ends alone`(_ text: String, _ rest: String) {
        let bytes = Array(text.utf8)
        #expect(bytes.trimmingBlanks.elementsEqual(rest.utf8))
        let range = bytes.span.trimmingBlanks(0..<bytes.count)
        #expect(bytes[range].elementsEqual(rest.utf8))
    }

    @Test func `line breaks are white space`() {
        #expect(Array("\r\n a \n".utf8).trimmingWhiteSpace.elementsEqual("a".utf8))
        #expect(Array("\n".utf8)[...].trimmingWhiteSpace.isEmpty)
    }

    @Test func `what is dropped is the caller's choice`() {
        #expect("--a-b--".trimming { $0 == "-" } == "a-b")
    }
}
