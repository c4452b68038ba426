import Foundation
import Synchronization
import Testing

/// A server that reads requests with a `Content-Length` and answers what it is told.
final class ScriptedServer: Sendable {
    enum Action: Sendable {
        /// Reads a request and writes these bytes.
        case answer(String)
        /// Reads a request and closes.
        case close
        /// Closes at once, with nothing read.
        case hangUp
        /// Reads a request and says nothing until the client is gone.
        case silence
    }

    let port: UInt16
    private let listener: Int32
    private let seen = Mutex<[String]>([])

    /// - Parameters:
    ///   - connections: For each connection, one after another, what to do.
    ///   - listens: False holds the port and refuses every connection.
    init(_ connections: [[Action]], listens: Bool = true) throws {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        listener = listening
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, length) == 0 && (!listens || listen(listening, 16) == 0)
                    && getsockname(listening, $0, &length) == 0
            }
        }
        try #require(bound)
        port = UInt16(bigEndian: address.sin_port)
        guard listens else { return }
        let thread = Thread { [self] in
            for actions in connections {
                let descriptor = accept(listener, nil, nil)
                for action in actions { perform(action, descriptor) }
                close(descriptor)
            }
        }
        thread.start()
    }

    deinit { close(listener) }

    /// The requests so far.
    var requests: [String] { seen.withLock { $0 } }

    private func perform(_ action: Action, _ descriptor: Int32) {
        if case .hangUp = action { return }
        guard let request = Self.readRequest(descriptor) else { return }
        seen.withLock { $0.append(request) }
        switch action {
        case .answer(let text):
            let bytes = Array(text.utf8)
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        case .silence:
            var byte: UInt8 = 0
            _ = recv(descriptor, &byte, 1, 0)
        case .close, .hangUp: break
        }
    }

    private static func readRequest(_ descriptor: Int32) -> String? {
        var text = ""
        while true {
            if let end = text.range(of: "\r\n\r\n") {
                let length =
                    text[..<end.lowerBound].split(separator: "\r\n")
                    .first { $0.hasPrefix("Content-Length: ") }
                    .flatMap { Int($0.dropFirst(16)) } ?? 0
                if text[end.upperBound...].utf8.count >= length { return text }
            }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            text += String(decoding: chunk[..<count], as: UTF8.self)
        }
    }
}
