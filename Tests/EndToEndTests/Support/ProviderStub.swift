import TestSupport

/// A provider on loopback: one request per connection, answered by a closure that gets the request.
struct ProviderStub: Sendable {
    private let server: LocalServer

    var port: UInt16 { server.port }
    /// The received requests, heads and bodies.
    var requests: [String] { server.requests }

    /// - Parameter answer: Returns the whole answer to a request; nil closes the connection.
    init(_ answer: @escaping @Sendable (String) -> String?) throws {
        server = try LocalServer(once: answer)
    }

    /// Returns an answer with this body.
    static func answer(_ body: String, status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }
}
