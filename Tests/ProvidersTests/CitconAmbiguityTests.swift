import Bytes
import Payments
import TestSupport
import Testing

@testable import Providers

/// One signed text has one effect, at both of Citcon's gateways.
@Suite struct CitconAmbiguityTests {
    typealias Fixture = CitconUPIFixture

    private static let token = Array("token-of-the-tests".utf8)

    /// A refund with a `null` time is the same event as one with the text `"null"`.
    @Test func `a null is the same as its four letters`() throws {
        let fields = Fixture.fields(
            .text("transaction_type", "refund"), .raw("time_completed", "null", hashed: "null"),
            .raw("amount_refunded", "null", hashed: "null"), .raw("amount", "30"))
        let genuine = Fixture.body(fields)
        let first = try Fixture.provider.receive(SignedRequest(body: genuine))
        for (old, new) in [
            ("\"time_completed\":null", "\"time_completed\":\"null\""),
            ("\"amount_refunded\":null", "\"amount_refunded\":\"null\""),
        ] {
            let changed = genuine.replacing(old, with: new)
            #expect(changed != genuine)
            #expect(try Fixture.provider.receive(SignedRequest(body: changed)) == first)
        }
    }

    @Test(arguments: Effort.share(of: 0..<40)) func `one signed text has one effect`(_ seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        let pay = try CitconPay(
            settings: EndpointSettings(name: "p", ["secrets": .secrets([Self.token])]))
        var pairs = 0
        for _ in 0..<200 {
            let isUPI = random.once(in: 2)
            let text = Self.text(isUPI: isUPI, &random)
            let sign =
                isUPI
                ? CitconUPI.sign(text, secret: Fixture.secret)
                : CitconPay.sign(text, token: Self.token)
            var first: Notification?
            for _ in 0..<12 {
                let fields =
                    Self.fields(of: text, &random) + [
                        ("sign", String(decoding: sign, as: UTF8.self))
                    ]
                let asForm = !isUPI && random.once(in: 2)
                let delivery = SignedRequest(
                    body: asForm ? Self.form(fields) : Self.json(fields, &random))
                guard
                    let told = try? isUPI
                        ? Fixture.provider.receive(delivery) : pay.receive(delivery)
                else { continue }
                if let first {
                    pairs += 1
                    #expect(told == first, "seed \(seed): \(delivery.bodyText)")
                } else {
                    first = told
                }
            }
        }
        #expect(pairs > 50)
    }

    private static let words = [
        "null", "", "30", "4200", "success", "refund", "charge", "USD", "REQ-1", "captured",
        "2026-11-21T06:59:58.000Z", "x&status=success", "1&amount=2", "a,b", "fail", "NULL",
    ]

    private static func text(isUPI: Bool, _ random: inout SeededGenerator) -> [UInt8] {
        var pairs = [
            ("id", "CH-1"), ("reference", "REQ-1"), ("amount", "30"), ("currency", "USD"),
            ("status", "success"), ("transaction_type", "refund"), ("type", "refund"),
            ("time", "null"), ("time_completed", "null"), ("amount_refunded", "null"),
            ("amount_captured", "null"), ("refund_status", "null"), ("refunded_amount", "null"),
            ("notify_status", "success"), ("note", "1"),
        ].filter { isUPI || !["transaction_type", "status"].contains($0.0) }
        for place in pairs.indices where random.once(in: 5) {
            pairs[place].1 = random.pick(words)
        }
        let list = pairs.map(\.0).joined(separator: ",")
        return ListedFields.signedText(pairs + [("fields", list)])
    }

    /// Fields with this text, divided at some of the possible boundaries.
    private static func fields(
        of text: [UInt8], _ random: inout SeededGenerator
    ) -> [(String, String)] {
        var parts: [String] = []
        for part in String(decoding: text.dropLast(), as: UTF8.self).split(
            separator: "&", omittingEmptySubsequences: false)
        {
            if let last = parts.last, random.once(in: 40) || !part.contains("=") {
                parts[parts.count - 1] = last + "&" + part
            } else {
                parts.append(String(part))
            }
        }
        return parts.map { part in
            let seam = part.firstIndex(of: "=") ?? part.endIndex
            return (String(part[..<seam]), String(part[seam...].dropFirst()))
        }
    }

    private static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\($0.0)=\(PercentEncoding.encode(Array($0.1.utf8)))" }
            .joined(separator: "&")
    }

    private static func json(
        _ fields: [(String, String)], _ random: inout SeededGenerator
    ) -> String {
        let members = fields.map { name, value in
            let isNumber = !value.isEmpty && value.allSatisfy(\.isNumber)
            let plain = isNumber || value == "null" ? value : value.isEmpty ? "null" : nil
            return "\"\(name)\":" + (random.once(in: 2) ? plain ?? "\"\(value)\"" : "\"\(value)\"")
        }
        return "{\(members.joined(separator: ","))}"
    }
}
