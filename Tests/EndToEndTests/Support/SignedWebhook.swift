import Bytes
import Cryptography
import Foundation

/// Signs bodies of any length for the sandbox's endpoint `hmac`, so that few requests fill a
/// segment.
struct SignedWebhook {
    private let secret: [UInt8]

    init(_ instance: Instance) throws {
        let text = try String(contentsOfFile: "\(instance.folder)/secrets/hmac", encoding: .utf8)
        secret = Array(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
    }

    /// A payment with `padding` meaningless bytes. `transaction` is the provider's id; nil for a
    /// unique one. `members` are further ones, as `"a":1,`.
    func request(
        _ reference: String, transaction: String? = nil, padding: Int = 0, members: String = "",
        signature: String? = nil
    ) -> [UInt8] {
        let id = transaction ?? "T-\(reference)"
        let body =
            Array(#"{"id":"E-\#(reference)","transaction":"\#(id)","#.utf8)
            + Array(#""reference":"\#(reference)","status":"paid","amount":4200,"#.utf8)
            + Array(#""currency":"MYR",\#(members)"padding":""#.utf8)
            + Array(repeating: UInt8(ascii: "x"), count: padding) + Array(#""}"#.utf8)
        let code = signature ?? Hex.encode(HMAC.code(.sha256, key: secret, message: body))
        let head =
            "POST /ipn/hmac HTTP/1.1\r\nHost: localhost\r\nX-Signature: \(code)\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }
}
