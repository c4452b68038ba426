import Bytes
import Cryptography
import Foundation
import Providers

/// Signs any body as Antom would, with the sandbox key, including bodies that `ipnd send` cannot
/// create.
struct AntomForgery {
    private let key: RSAPrivateKey

    init(_ instance: Instance) throws {
        key = try RSAPrivateKey(
            pem: String(contentsOfFile: "\(instance.folder)/sandbox/antom.pem", encoding: .utf8))
    }

    func sign(body: String, path: String = "/ipn/antom") throws -> OutboundRequest {
        let time = "2026-11-21T07:00:00Z"
        let client = "SANDBOX_1"
        let content = "POST \(path)\n\(client).\(time).\(body)"
        let signature = Base64.encode(try key.signSHA256(Array(content.utf8)))
            .replacingOccurrences(of: "+", with: "%2B").replacingOccurrences(of: "/", with: "%2F")
            .replacingOccurrences(of: "=", with: "%3D")
        return OutboundRequest(
            target: path,
            headers: [
                Header("Client-Id", client), Header("Request-Time", time),
                Header("Signature", "algorithm=RSA256,keyVersion=1,signature=\(signature)"),
            ], body: Array(body.utf8))
    }
}
