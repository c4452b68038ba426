import Bytes
import Cryptography
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Transmissions signed without ipnd, and PayPal's own signatures.
@Suite struct PayPalVectorTests {
    let file: JSONValue

    init() throws { file = try VectorFile.load("paypal") }

    private func vectors(_ list: String) throws -> [JSONValue] {
        try Array(#require(file[list]).elements)
    }

    private func text(_ vector: JSONValue, _ name: String) throws -> String {
        try #require(vector[name]?.string)
    }

    @Test func `each vector is read as it says`() throws {
        for vector in try vectors("vectors") {
            let provider = try PayPal(settings: PayPalVector.settings(vector, in: file))
            let verified = try provider.verify(PayPalVector.delivery(vector))
            #expect(verified.key == String(try #require(vector["key"]?.int64) + 1))
            let read = provider.interpret(verified.evidence)
            let expected = try #require(vector["expected"]?.elements.first { _ in true })
            try Self.compare(read, expected, try text(vector, "id"))
            #expect(provider.answer(.accepted) == .empty)
        }
    }

    private static func compare(
        _ read: Notification, _ expected: JSONValue, _ name: String
    ) throws {
        let ids = try #require(expected["identity"]).elements.compactMap { $0.string }
        #expect(read.id == EventIdentity.text(ids), "\(name)")
        #expect(read.reference == expected["reference"]?.string, "\(name)")
        #expect(read.alias == expected["alias"]?.string, "\(name)")
        #expect(read.transaction == expected["transaction"]?.string, "\(name)")
        #expect(read.reason?.code == expected["reason"]?["code"]?.string, "\(name)")
        #expect(
            read.occurred == expected["occurred"]?.string.flatMap { Timestamp(iso8601: $0) },
            "\(name)")
        func money(_ value: JSONValue?) -> Money? {
            guard let currency = value?["currency"]?.string.flatMap({ Currency($0) }),
                let minor = value?["minor"]?.string.flatMap({ Int64($0) })
            else { return nil }
            return Money(minor: minor, currency: currency)
        }
        #expect(read.refundedAtLeast == money(expected["refunded_at_least"]), "\(name)")
        #expect(read.effect.amount == money(expected), "\(name)")
        let type = try #require(expected["type"]?.string)
        if type == "reversed" {
            guard case .reversal(.operation, _, .succeeded, _) = read.effect else {
                Issue.record("\(name): \(read.effect)")
                return
            }
        } else {
            let event = try #require(EventType(rawValue: type))
            #expect(SenderTests.isKind(read.effect, event), "\(name): \(read.effect)")
        }
        if type != "canceled" { #expect(read.effect.id == expected["action"]?.string, "\(name)") }
        #expect(read.flags.isEmpty, "\(name)")
    }

    @Test func `each negative is refused for the reason that it names`() throws {
        for vector in try vectors("negatives") {
            let provider = try PayPal(settings: PayPalVector.settings(vector, in: file))
            let refusal = try #require(try provider.refusal(PayPalVector.delivery(vector)))
            let name = try text(vector, "id")
            #expect(try refusal.reason == text(vector, "expected"), "\(name)")
            #expect(
                Int64(provider.answer(.refused(refusal)).status) == vector["http"]?.int64,
                "\(name)")
        }
    }

    @Test func `a transmission id is accepted with one body only`() throws {
        let memory = TransmissionMemory()
        let first = try #require(vectors("vectors").first)
        func claim(_ vector: JSONValue) throws -> Refusal? {
            let provider = try PayPal(
                settings: PayPalVector.settings(vector, in: file, memory: memory))
            let verified = try provider.verify(PayPalVector.delivery(vector))
            do throws(Refusal) {
                try provider.claim(verified.evidence)
                return nil
            } catch {
                return error
            }
        }
        #expect(try claim(first) == nil)
        for trap in try vectors("traps") {
            #expect(try claim(trap)?.reason == trap["expected_refusal"]?.string)
        }
        #expect(try claim(first) == nil)
    }

    @Test func `PayPal's own signatures verify under its own authorities`() throws {
        let shipped = String(decoding: PackageResources.paypal_pem, as: UTF8.self)
        let given = try PayPalVector.authorities(#require(file["known_answers_trust"]))
        for authorities in [given, shipped] {
            let trust = try CertificateTrust(
                Certificate.all(inPEM: authorities), includesSystem: false)
            for answer in try vectors("known_answers") {
                let signed = try text(answer, "signed_text")
                let parts = signed.split(separator: "|")
                let time = try #require(Timestamp(iso8601: String(parts[1])))
                let certificate = try #require(
                    try Certificate.all(inPEM: text(answer, "certificate")).first)
                guard
                    case .trusted = trust.judge(certificate, at: time.microseconds / 1_000_000)
                else {
                    Issue.record("\(signed)")
                    continue
                }
                let mode: EndpointSettings.Mode =
                    try text(answer, "cert_url").contains("sandbox") ? .test : .live
                #expect(certificate.hostNames == [PayPal.certificateName(mode)])
                #expect(certificate.commonNames == [PayPal.certificateName(mode)])
                let signature = try #require(
                    try Base64.decode(strict: Array(text(answer, "signature").utf8)[...]))
                let key = try certificate.publicKey()
                #expect(
                    key.verifySHA256(message: [Array(signed.utf8)[...]], signature: signature))
                #expect(
                    !key.verifySHA256(
                        message: [Array("\(signed)0".utf8)[...]], signature: signature))
            }
        }
    }
}
