import Bytes
import Testing

struct SteeringCharactersTests {
    @Test(arguments: [
        ("plain é 漢 🙂\t\u{1B}[1m\n", "plain é 漢 🙂\t\u{1B}[1m\n"),
        ("a\u{9B}31mb", #"a\u009b31mb"#), ("\u{7F}", #"\u007f"#),
        ("\u{202E}x\u{2028}y\u{2066}", #"\u202ex\u2028y\u2066"#), ("", ""),
    ])
    func `what steers beyond ASCII is escaped`(_ text: String, _ expected: String) {
        #expect(Array(text.escapingSteeringBeyondASCII.utf8) == Array(expected.utf8))
    }

    @Test func `one line has none of them`() {
        #expect("a\u{9B}b\nc\u{2028}".withoutSteering == "a\u{FFFD}b\u{FFFD}c\u{FFFD}")
    }
}
