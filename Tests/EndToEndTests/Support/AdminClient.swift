import Foundation
import Testing

/// A client of an instance's admin listener, with its token or another.
struct AdminClient {
    let client: Client
    private let token: String

    init(_ instance: Instance, token: String? = nil, receiveSeconds: Int = 60) throws {
        client = try Client(port: instance.adminPort, receiveSeconds: receiveSeconds)
        self.token =
            try token
            ?? String(contentsOfFile: "\(instance.folder)/secrets/admin-token", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Sends a request; `receive` reads its answer.
    func send(_ method: String, _ target: String, headers: [String] = [], body: String? = nil)
        throws
    {
        var lines = [
            "\(method) \(target) HTTP/1.1", "Host: localhost", "Authorization: Bearer \(token)",
        ]
        lines += headers
        if let body {
            lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"]
        }
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    }

    func get(_ target: String, accept: String? = nil) throws -> HTTPAnswer {
        try send("GET", target, headers: accept.map { ["Accept: \($0)"] } ?? [])
        return try client.receive()
    }

    func post(_ target: String, _ body: String) throws -> HTTPAnswer {
        try send("POST", target, body: body)
        return try client.receive()
    }
}

extension HTTPAnswer {
    /// The body as a JSON object.
    func object() throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(body.utf8))
        return try #require(value as? [String: Any], "\(body)")
    }

    /// The code of a problem document; nil for other answers.
    var code: String? {
        guard fields["content-type"] == "application/problem+json" else { return nil }
        return (try? object())?["code"] as? String
    }
}

extension Instance {
    func admin(receiveSeconds: Int = 60) throws -> AdminClient {
        try AdminClient(self, receiveSeconds: receiveSeconds)
    }

    /// Delivers one notification of a provider and expects its success.
    func deliver(_ delivery: OutboundDeliveryRequest) throws {
        let client = try client()
        try client.send(delivery)
        try #require(try client.receive().status == 200)
    }
}

/// The bytes of a provider's request.
typealias OutboundDeliveryRequest = [UInt8]
