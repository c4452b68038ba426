import Bytes
import Cryptography
import Payments

@testable import Providers

/// An Antom endpoint with keys that are generated for the tests.
struct AntomFixture {
    /// Generating keys fails only if OpenSSL does, and then no test here could run.
    // swift-format-ignore: NeverUseForceTry
    static let shared = try! AntomFixture()

    let first: RSAPrivateKey
    let second: RSAPrivateKey
    let foreign: RSAPrivateKey
    let provider: Antom

    init() throws {
        first = try RSAPrivateKey.generate()
        second = try RSAPrivateKey.generate()
        foreign = try RSAPrivateKey.generate()
        provider = try Antom(
            settings: EndpointSettings(
                name: "antom",
                [
                    "clientID": .text("SANDBOX_1"),
                    "keys": .keys([
                        VersionedKey(version: 1, text: first.publicKeyPEM),
                        VersionedKey(version: 2, text: second.publicKeyBase64DER),
                    ]),
                ]))
    }

    func sender(_ key: RSAPrivateKey? = nil, clientID: String = "SANDBOX_1", version: Int = 1)
        throws
        -> AntomSender
    {
        try AntomSender(
            settings: EndpointSettings(
                name: "sender",
                [
                    "clientID": .text(clientID),
                    "keys": .keys([VersionedKey(version: version, text: "")]),
                ], sender: ["privateKey": .text((key ?? first).pem)]))
    }

    /// `body` as Antom would sign it.
    func delivery(
        body: String, path: String = "/ipn/antom", query: String? = nil, signedQuery: Bool = false,
        time: String = "2025-05-17T07:58:04Z"
    ) throws -> SignedRequest {
        let signedPath = signedQuery ? "\(path)?\(query ?? "")" : path
        let signature = try first.signSHA256(
            Array("POST \(signedPath)\nSANDBOX_1.\(time).\(body)".utf8))
        let value = PercentEncoding.encode(Array(Base64.encode(signature).utf8))
        return SignedRequest(
            path: path, query: query,
            headers: [
                ("client-id", "SANDBOX_1"), ("request-time", time),
                ("signature", "algorithm=RSA256,keyVersion=1,signature=\(value)"),
            ], body: body)
    }

    func read(_ body: String) -> Notification {
        provider.interpret(AntomEvidence(body: Array(body.utf8)))
    }
}
