import TestSupport
import Testing

@testable import ServerConfiguration

private func text(_ rules: String, personal: String = "") -> String {
    """
    listeners: [{address: 127.0.0.1:1}]
    journal: {directory: journal}
    endpoints:
      - {name: a, path: /a, provider: citcon-upi, secrets: [{file: secrets/citcon}],
         redact: \(rules)}
    \(personal)

    """
}

@Suite struct RedactionConfigurationTests {
    @Test func `rules and key are read and described`() throws {
        let folder = try TemporaryFolder.filled()
        let configuration = try folder.load(
            text("[/a/b, form:c]", personal: "personal: {hashKey: {file: secrets/redaction}}")
        ).get()
        #expect(configuration.endpoints[0].redact.map(\.text) == ["/a/b", "form:c"])
        #expect(configuration.personal.hashKey == Array("0123456789abcdef".utf8))
        let described = configuration.describe()
        #expect(described.contains("replaces /a/b, form:c in what is stored"))
        #expect(described.contains("personal       replaced values are hashed with a key, file"))
    }

    @Test(arguments: [
        ("[]", "", "is empty"), ("[customer.email]", "", "neither a JSON pointer"),
        ("[/a~2]", "", "`~` is followed"), ("/a", "", "redact"),
        ("[/a]", "personal: {hashKey: {env: SHORT}}", "the key has 5 bytes"),
        ("[/a]", "personal: {hashkey: x}", "hashKey"),
    ])
    func `a mistake is named`(_ rules: String, _ personal: String, _ part: String) throws {
        let folder = try TemporaryFolder.filled()
        let loaded = try folder.load(
            text(rules, personal: personal), environment: ["SHORT": "short"])
        guard case .failure(let error) = loaded else {
            Issue.record("no mistake was found")
            return
        }
        #expect("\(error)".contains(part), "\(error)")
    }
}
