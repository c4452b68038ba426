import Foundation
import TestSupport
import Testing

/// Takes one connection on loopback, reads a request, writes an answer and closes. An empty answer
/// is silence until the client goes.
final class HookServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let seen = Box("")

    /// The request with its body.
    var request: String { seen.get() }

    init(answer: String) throws {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        listener = listening
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, length) == 0 && listen(listening, 8) == 0
                    && getsockname(listening, $0, &length) == 0
            }
        }
        try #require(isBound)
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [seen] in
            let descriptor = accept(listening, nil, nil)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            guard let request = Self.read(descriptor) else { return }
            seen.set(request)
            let bytes = Array(answer.utf8)
            if bytes.isEmpty {
                var byte: UInt8 = 0
                _ = recv(descriptor, &byte, 1, 0)
            } else {
                _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                shutdown(descriptor, Int32(SHUT_WR))
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func read(_ descriptor: Int32) -> String? {
        var text = ""
        while true {
            if let end = text.range(of: "\r\n\r\n") {
                let length =
                    text[..<end.lowerBound].split(separator: "\r\n")
                    .first { $0.hasPrefix("Content-Length: ") }
                    .flatMap { Int($0.dropFirst(16)) } ?? 0
                if text[end.upperBound...].utf8.count >= length { return text }
            }
            var chunk = [UInt8](repeating: 0, count: 65536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            text += String(decoding: chunk[..<count], as: UTF8.self)
        }
    }
}
