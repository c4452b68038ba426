import Foundation
import PaymentNotifications
import Testing

/// The vectors of `Tests/ProvidersTests/Vectors`, read as a user of the library would: this target
/// sees no `package` declaration.
enum Vectors {
    /// The root of the tree. `SourceTree` of the other tests is a `package` declaration.
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func file(_ name: String) throws -> [String: Any] {
        let file = root.appending(path: "Tests/ProvidersTests/Vectors/\(name).json")
        return try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    }

    /// The first vector of a file.
    static func first(_ name: String) throws -> [String: Any] {
        try #require((file(name)["vectors"] as? [[String: Any]])?.first)
    }
}

/// A genuine notification that Antom published with its key (alipay/global-open-sdk-java).
struct AntomSample {
    let publicKey: String
    let clientID: String
    let request: SignedRequest

    init(body changed: String? = nil) throws {
        let vector = try Vectors.first("antom")
        func text(_ name: String) throws -> String { try #require(vector[name] as? String) }
        publicKey = try text("publicKeyBase64DER")
        clientID = try text("clientId")
        request = try SignedRequest(
            method: "POST", path: text("path"),
            headers: [
                ("Client-Id", text("clientId")), ("Request-Time", text("time")),
                ("Signature", text("signatureHeaderValue")),
            ], body: (changed ?? text("body")).utf8,
            received: Timestamp(secondsSince1970: 1_573_551_420))
    }

    var provider: Antom {
        get throws {
            try Antom(
                settings: .init(clientID: clientID, keys: [.init(version: 1, text: publicKey)]))
        }
    }
}

/// An event that the provider's own library signed.
struct RecipeSample {
    let secret: String
    let request: SignedRequest

    init() throws {
        let vector = try Vectors.first("stripe")
        let config = try #require(vector["config"] as? [String: Any])
        secret = try #require((config["secrets"] as? [String])?.first)
        let sent = try #require(vector["request"] as? [String: Any])
        request = try SignedRequest(
            path: "/ipn/stripe",
            headers: #require(sent["headers"] as? [[String]]).map { (name: $0[0], value: $0[1]) },
            body: Data(#require(sent["body"] as? String).utf8),
            received: Timestamp(secondsSince1970: #require(vector["now"] as? Double)))
    }
}
