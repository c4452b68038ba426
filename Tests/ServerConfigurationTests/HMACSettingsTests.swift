import Providers
import TestSupport
import Testing

@testable import ServerConfiguration

/// `hmac:` and `fields:` in a configuration.
@Suite struct HMACSettingsTests {
    private func load(
        _ hmac: String, fields: String = "{reference: /o, status: /s, statuses: {a: pending}}"
    ) throws -> Result<Configuration, ConfigurationError> {
        try TemporaryFolder.filled().load(
            """
            listeners: [{address: 127.0.0.1:1}]
            journal: {directory: journal}
            endpoints:
              - name: a
                path: /a
                provider: hmac
                secrets: [{file: secrets/citcon}]
                hmac: \(hmac)
                fields: \(fields)
            """)
    }

    private func scheme(_ hmac: String) throws -> HMACScheme? {
        try load(hmac).get().endpoints.first?.settings[HMACWebhook.scheme]
    }

    @Test func `every form of a scheme is read`() throws {
        #expect(try scheme("{header: X-Sign}") == HMACScheme(header: "x-sign"))
        #expect(
            try scheme("{header: s, signs: timestamp.body, timestampHeader: T}")
                == HMACScheme(header: "s", content: .timestampAndBody(header: "t")))
        #expect(
            try scheme(
                "{header: s, signatureParameter: v1, timestampParameter: t, "
                    + "signs: \"{timestamp}.{body}\"}")
                == HMACScheme(
                    header: "s", layout: .parameters(separator: .comma, signature: "v1"),
                    content: SignedTemplate(
                        parts: SignedTemplate.timestampAndBody, timestamp: .parameter("t"))))
        #expect(
            try scheme("{header: s, separator: \" \", prefix: v1}")
                == HMACScheme(header: "s", prefix: "v1", layout: .list(separator: .space)))
        let template = try scheme(
            "{header: s, separator: ;, signatureParameter: h1, timestampParameter: ts, "
                + "idHeader: X-ID, signs: \"{method}\\n{path}\\n{id}|{timestamp}:{body}\"}")
        #expect(template?.content.text == "{method}\n{path}\n{id}|{timestamp}:{body}")
        #expect(template?.content.id == .header("x-id"))
        #expect(template?.layout == .parameters(separator: .semicolon, signature: "h1"))
    }

    @Test(arguments: [
        ("{header: s, signs: \"{timestamp}\"}", "endpoints[0].hmac.signs"),
        ("{header: s, signs: \"{query}{body}\"}", "endpoints[0].hmac.signs"),
        ("{header: s, signs: \"{timestamp}.{body}\"}", "endpoints[0].hmac.timestampHeader"),
        ("{header: s, signs: \"{id}.{body}\"}", "endpoints[0].hmac.idHeader"),
        ("{header: s, timestampHeader: t}", "endpoints[0].hmac.timestampHeader"),
        ("{header: s, idHeader: t}", "endpoints[0].hmac.idHeader"),
        (
            "{header: s, signs: timestamp.body, timestampParameter: t}",
            "endpoints[0].hmac.timestampParameter"
        ),
        (
            "{header: s, signatureParameter: v, signs: timestamp.body, timestampParameter: t, "
                + "timestampHeader: t}", "endpoints[0].hmac.timestampParameter"
        ),
        ("{header: s, separator: x}", "endpoints[0].hmac.separator"),
        (
            "{header: s, signatureParameter: v, signs: timestamp.body, timestampParameter: v}",
            "endpoints[0].hmac.timestampParameter"
        ),
        (
            "{header: s, signs: \"{id}{timestamp}{body}\", idHeader: i, timestampHeader: t}",
            "endpoints[0].hmac.signs"
        ),
    ])
    func `a scheme that cannot work is told at its key`(_ hmac: String, _ key: String) throws {
        guard case .failure(let error) = try load(hmac) else {
            Issue.record("accepted")
            return
        }
        #expect(error.mistakes.map(\.key) == [key])
        #expect(error.mistakes.allSatisfy { $0.line == 8 })
    }

    @Test func `variants take what they leave out from the fields`() throws {
        let fields = """
            {reference: /o, status: /s, amount: /a, currency: EUR, statuses: {a: paid}, variants: [
                  {when: /kind, is: [refund], status: /r, action: /id, statuses: {done: refunded}}]}
            """
        let read = try load("{header: s}", fields: fields).get().endpoints.first?.settings[
            SettingRow.fields]
        var expected = FieldMapping(
            reference: "/o", status: "/s", amount: "/a", currency: .fixed("EUR"),
            statuses: ["a": .paid])
        var refund = expected
        refund.status = "/r"
        refund.action = "/id"
        refund.statuses = ["done": .refunded]
        expected.variants = [
            FieldMapping.Variant(pointer: "/kind", words: ["refund"], fields: refund)
        ]
        #expect(read == expected)
    }

    @Test(arguments: [
        ("{is: [a], statuses: {a: pending}}", "endpoints[0].fields.variants[0].when"),
        ("{when: /a, statuses: {a: pending}}", "endpoints[0].fields.variants[0].is"),
        ("{when: [], statuses: {a: pending}}", "endpoints[0].fields.variants[0].when"),
        ("{when: [{at: /a}]}", "endpoints[0].fields.variants[0].when[0].is"),
        ("{when: /a, is: [a], variants: [{}]}", "endpoints[0].fields.variants[0].variants[0].when"),
        ("{when: /a, is: [a], statuses: {a: paid}}", "endpoints[0].fields.variants[0].amount"),
    ])
    func `a variant that cannot work is told at its key`(_ text: String, _ key: String) throws {
        let fields = "{reference: /o, status: /s, statuses: {a: pending}, variants: [\(text)]}"
        guard case .failure(let error) = try load("{header: s}", fields: fields) else {
            Issue.record("accepted")
            return
        }
        #expect(error.mistakes.map(\.key) == [key])
    }
}
