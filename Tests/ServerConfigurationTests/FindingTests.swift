import Testing

@testable import ServerConfiguration

@Suite struct FindingTests {
    /// Found by `scripts/fuzz 60 configuration`: a quoted YAML key can contain anything.
    @Test(arguments: ["\\n", "\\t", "\\e", "\\x7f", "\\x85"])
    func `a finding stays on its one line`(escape: String) throws {
        let text = """
            listeners: [{address: 127.0.0.1:8080, tls: {certificate: "a\(escape)b", key: k}}]
            journal: {directory: j}
            endpoints: []
            "a\(escape)b": 1

            """
        let reading = DecodingContext(file: "ipnd.yaml", folder: "/nowhere", environment: [:])
        #expect(Configuration.read(text: text, reading) == nil)
        let told = reading.findings.map(\.description)
        #expect(told.contains { $0.contains("a\u{fffd}b: this key is unknown") })
        #expect(told.contains { $0.contains("/nowhere/a\u{fffd}b") })
        for line in told {
            #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
        }
    }
}
