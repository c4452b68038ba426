import JSON
import Payments
import Testing

@testable import Providers

/// `citcon-nulls.json`: nulls in signed fields, and commas where no name follows, at both gateways.
@Suite struct CitconNullTests {
    let file: JSONValue
    let upi: CitconUPI
    let pay: CitconPay

    init() throws {
        file = try VectorFile.load("citcon-nulls")
        upi = try CitconUPI(
            settings: EndpointSettings(
                name: "u", ["secrets": .secrets([[1], Array("braintree".utf8)])]))
        let token = "1234567890abcdef1234567890abcdeq"
        pay = try CitconPay(
            settings: EndpointSettings(name: "p", ["secrets": .secrets([[1], Array(token.utf8)])]))
    }

    private func bodies(_ list: String) throws -> [(note: String, delivery: SignedRequest)] {
        let vectors = try #require(file[list]).elements.map { vector in
            (
                try #require(vector["note"]?.string ?? vector["why"]?.string),
                try SignedRequest(body: #require(vector["body"]?.string))
            )
        }
        try #require(!vectors.isEmpty)
        return vectors
    }

    @Test func `nulls and commas verify at Citcon UPI`() throws {
        for (note, delivery) in try bodies("upi") {
            let notification = try upi.receive(delivery)
            #expect(notification.effect == .attempt(.paid, .of(4200, "USD")), "\(note)")
            #expect(notification.reference == "reference132")
            // The event is the same for each way to hash a null.
            #expect(notification.id == "84571d30e61711eba6a94911fce35a55:charge:success::")
        }
    }

    @Test func `nulls and commas verify at Citcon Pay`() throws {
        for (note, delivery) in try bodies("pay") {
            let verified = try pay.verify(delivery)
            #expect(verified.key == "2", "\(note)")
            let isPaid = delivery.bodyText.contains("success")
            let attempt: AttemptStatus = isPaid ? .paid : .pending
            #expect(pay.interpret(verified.evidence).effect == .attempt(attempt, .of(258, "USD")))
            #expect(verified.evidence.fields["type"] == (isPaid ? "charge" : ""))
        }
    }

    @Test func `other ways are refused`() throws {
        for vector in try #require(file["negatives"]).elements {
            let why = try #require(vector["why"]?.string)
            let delivery = try SignedRequest(body: #require(vector["body"]?.string))
            let refusal =
                vector["system"]?.string == "upi" ? upi.refusal(delivery) : pay.refusal(delivery)
            #expect(refusal == .signatureMismatch, "\(why)")
        }
    }

    /// A null does not replace a signed value.
    @Test func `a value cannot become a null`() throws {
        for (note, delivery) in try bodies("upi") {
            for name in ["id", "reference", "amount", "currency", "status"] {
                let root = try JSONDocument(parsing: delivery.body).root
                let value = try #require(root[name])
                let old = "\"\(name)\":" + String(decoding: value.rawBytes, as: UTF8.self)
                var changed = delivery
                changed.bodyText = delivery.bodyText.replacing(old, with: "\"\(name)\":null")
                #expect(changed != delivery)
                #expect(upi.refusal(changed) == .signatureMismatch, "\(note) \(name)")
            }
        }
    }

    /// An unsigned null in any notation makes no claim about money.
    @Test(arguments: [
        ("null", false), (#""null""#, false), (#""NULL""#, false), (#""""#, false), ("0", false),
        (#""0""#, false), (#""Null""#, true), (#""none""#, true), ("false", true), ("[]", true),
        ("{}", true), ("-0", true),
    ])
    func `an unsigned null is no claim`(_ value: String, _ isClaim: Bool) throws {
        let gateways: [(list: String, names: [String])] = [
            ("upi", ["refund_status", "refunded_amount"]),
            ("pay", ["refund_status", "refunded_amount", "amount_refunded", "amount_captured"]),
        ]
        for (list, names) in gateways {
            for (note, genuine) in try bodies(list) {
                for name in names {
                    var delivery = genuine
                    delivery.bodyText.replace(
                        "{", with: #"{"\#(name)":\#(value),"#, maxReplacements: 1)
                    let notification =
                        try list == "upi" ? upi.receive(delivery) : pay.receive(delivery)
                    let expected =
                        try list == "upi" ? upi.receive(genuine) : pay.receive(genuine)
                    #expect(
                        (notification.flags == [.unsignedClaim]) == isClaim,
                        "\(list) \(note): \(name)")
                    #expect((notification == expected) == !isClaim)
                }
            }
        }
    }
}
