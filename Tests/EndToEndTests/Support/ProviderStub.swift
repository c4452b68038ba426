import TestSupport

/// A provider on loopback: one request a connection, answered by a closure, which sees the request.
struct ProviderStub: Sendable {
    private let server: LocalServer

    var port: UInt16 { server.port }
    /// The requests, heads and bodies.
    var requests: [String] { server.requests }

    /// - Parameter answer: The whole answer to a request; nil closes without one.
    init(_ answer: @escaping @Sendable (String) -> String?) throws {
        server = try LocalServer(once: answer)
    }

    /// An answer with this body.
    static func answer(_ body: String, status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }
}
