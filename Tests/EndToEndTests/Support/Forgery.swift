import Bytes
import Cryptography
import Foundation
import Providers

/// Writes and signs any body as a provider would, with the secrets of `ipnd init`, including bodies
/// that `ipnd send` cannot create.
struct Forgery {
    typealias Fields = [(name: String, value: String)]

    let instance: Instance

    private func secret(_ endpoint: String) throws -> String {
        try String(contentsOfFile: "\(instance.folder)/secrets/\(endpoint)", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The platform's description of a result code: here a formula that needs quotes in CSV.
    static let description = #"=declined, "for a reason""#

    /// A `PAYMENT` of the Open Payment Platform with these members in addition to type, amount and
    /// code.
    func opp(
        _ type: String, _ id: String, amount: String, code: String = "000.000.000",
        _ members: [String: String]
    ) throws -> OutboundRequest {
        var payload: [String: Any] = members
        payload["id"] = id
        payload["paymentType"] = type
        payload["amount"] = amount
        payload["currency"] = "EUR"
        payload["result"] = ["code": code, "description": Self.description]
        payload["timestamp"] = "2026-11-21 07:00:00+0000"
        let plaintext = try JSONSerialization.data(
            withJSONObject: ["type": "PAYMENT", "payload": payload], options: .sortedKeys)
        let key = try AES256GCM(key: Hex.decode(secret("opp")) ?? [])
        let iv = Array(SHA256.hash(Array(plaintext)).prefix(AES256GCM.ivBytes))
        let sealed = try key.seal(plaintext: Array(plaintext), iv: iv)
        return OutboundRequest(
            target: "/ipn/opp",
            headers: [
                Header("content-type", "text/plain"),
                Header("x-initialization-vector", Hex.encode(iv)),
                Header("x-authentication-tag", Hex.encode(sealed.tag)),
            ], body: Hex.digits(of: sealed.ciphertext))
    }

    /// A notification of Citcon UPI; every field is signed.
    func citconUPI(_ fields: Fields) throws -> OutboundRequest {
        var fields = fields
        fields.append(("fields", fields.map(\.name).joined(separator: ",")))
        let text = try Self.signedText(fields) + "secret=\(secret("citcon"))"
        fields.append(("sign", Hex.encode(SHA256.hash(Array(text.utf8)))))
        let members = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
        let body = try JSONSerialization.data(withJSONObject: members, options: .sortedKeys)
        return OutboundRequest(
            target: "/ipn/citcon", headers: [Header("content-type", "application/json")],
            body: Array(body))
    }

    /// A form of Citcon Pay; the field `unsigned` is not in its list of signed fields.
    func citconPay(_ fields: Fields, unsigned: Fields) throws -> OutboundRequest {
        var fields = fields
        fields.append(("fields", fields.map(\.name).joined(separator: ",")))
        let text = try Self.signedText(fields) + "token=\(secret("citcon-pay"))"
        fields.append(("sign", Hex.encode(MD5.hash(Array(text.utf8)))))
        let pairs = (fields + unsigned).map {
            "\($0.name)=\(PercentEncoding.encode(Array($0.value.utf8)))"
        }
        return OutboundRequest(
            target: "/ipn/citcon-pay",
            headers: [Header("content-type", "application/x-www-form-urlencoded")],
            body: Array(pairs.joined(separator: "&").utf8))
    }

    private static func signedText(_ fields: Fields) -> String {
        fields.sorted { $0.name < $1.name }.map { "\($0.name)=\($0.value)&" }.joined()
    }
}
