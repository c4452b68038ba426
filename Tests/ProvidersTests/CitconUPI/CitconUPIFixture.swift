import JSON

@testable import Providers

/// A Citcon UPI endpoint with two secrets, and bodies signed for it.
enum CitconUPIFixture {
    static let secret = Array("braintree".utf8)
    /// Settings with two secrets that are not empty are always accepted.
    // swift-format-ignore: NeverUseForceTry
    static let provider = try! CitconUPI(
        settings: EndpointSettings(
            name: "citcon", ["secrets": .secrets([Array("newer".utf8), secret])]))

    /// A field of the body: its JSON text, and the text that is hashed.
    struct Field {
        var name: String
        var json: String
        var hashed: String

        static func text(_ name: String, _ value: String) -> Field {
            var writer = JSONWriter()
            writer.string(value)
            return Field(
                name: name, json: String(decoding: writer.bytes, as: UTF8.self), hashed: value)
        }

        static func raw(_ name: String, _ json: String, hashed: String? = nil) -> Field {
            Field(name: name, json: json, hashed: hashed ?? json)
        }
    }

    static let paid: [Field] = [
        .text("id", "CH-1"), .text("transaction_type", "charge"), .text("reference", "REQ-1"),
        .raw("amount", "4200"), .text("currency", "MYR"), .text("status", "success"),
        .text("time_created", "2026-11-21T06:59:00.000Z"),
        .text("time_completed", "2026-11-21T06:59:58.000Z"), .text("amount_captured", ""),
        .text("amount_refunded", ""),
    ]

    /// ``paid`` with some fields replaced or added.
    static func fields(_ changes: Field...) -> [Field] {
        changes.reduce(into: paid) { fields, change in
            if let index = fields.firstIndex(where: { $0.name == change.name }) {
                fields[index] = change
            } else {
                fields.append(change)
            }
        }
    }

    /// A body with listed and signed fields, and with unsigned ones.
    static func body(
        _ fields: [Field], list: String? = nil, unsigned: [Field] = [], secret: [UInt8] = secret
    ) -> String {
        let list = list ?? fields.map(\.name).joined(separator: ",")
        let text = ListedFields.signedText(
            fields.map { ($0.name, $0.hashed) } + [("fields", list)])
        let sign = String(decoding: CitconUPI.sign(text, secret: secret), as: UTF8.self)
        let all = fields + unsigned + [.text("fields", list), .text("sign", sign)]
        return "{" + all.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",") + "}"
    }
}
