import Foundation
import TestSupport
import Testing

/// A provider on loopback that answers every request with the same bytes, and closes.
final class ProviderStub: Sendable {
    let port: UInt16
    private let listener: Int32
    private let seen = Box<[String]>([])

    /// The requests, heads and bodies.
    var requests: [String] { seen.get() }

    /// - Parameter answer: The whole answer to a request; nil closes without one.
    init(_ answer: @escaping @Sendable (String) -> String?) throws {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        listener = listening
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, length) == 0 && listen(listening, 16) == 0
                    && getsockname(listening, $0, &length) == 0
            }
        }
        try #require(isBound)
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [seen] in
            while true {
                let descriptor = accept(listening, nil, nil)
                guard descriptor >= 0 else { return }
                let request = Self.request(descriptor)
                seen.update { $0.append(request) }
                let bytes = Array((answer(request) ?? "").utf8)
                _ = bytes.withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                close(descriptor)
            }
        }
    }

    deinit {
        // close(2) alone would leave the thread in accept(2).
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Up to the end of the body that the head announces.
    private static func request(_ descriptor: Int32) -> String {
        var text = ""
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            if let end = text.range(of: "\r\n\r\n") {
                let length =
                    text[..<end.lowerBound].lowercased().split(separator: "\r\n")
                    .first { $0.hasPrefix("content-length: ") }
                    .flatMap { Int($0.dropFirst(16)) } ?? 0
                if text[end.upperBound...].utf8.count >= length { return text }
            }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return text }
            text += String(decoding: chunk[..<count], as: UTF8.self)
        }
    }

    /// An answer with this body.
    static func answer(_ body: String, status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }
}
