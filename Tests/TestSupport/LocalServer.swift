import Foundation
import Platform

/// A server on loopback whose connections are handled by a closure, each on its own thread.
package final class LocalServer: Sendable {
    package let port: UInt16
    private let listener: Int32
    private let listens: Bool
    private let accepted = Box(0)
    private let seen = Box<[String]>([])

    /// Number of accepted connections.
    package var connections: Int { accepted.get() }
    /// The requests, with heads and bodies, in order.
    package var requests: [String] { seen.get() }

    /// - Parameters:
    ///   - listens: False binds the port but refuses every connection.
    ///   - play: Handles a connection, which is closed afterwards.
    package init(listens: Bool = true, _ play: @escaping @Sendable (Peer) -> Void) throws {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        listener = listening
        self.listens = listens
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, length) == 0 && (!listens || listen(listening, 64) == 0)
                    && getsockname(listening, $0, &length) == 0
            }
        }
        guard isBound else { throw CannotListen() }
        port = UInt16(bigEndian: address.sin_port)
        guard listens else { return }
        Thread.detachNewThread { [accepted, seen] in
            while true {
                let descriptor = accept(listening, nil, nil)
                guard descriptor >= 0 else {
                    // EINVAL means that the server was stopped; a client that has gone does not
                    // stop it.
                    guard errno == EINVAL else { continue }
                    // Closed by this thread: another one would close a number that is in use by
                    // accept.
                    close(listening)
                    return
                }
                accepted.update { $0 += 1 }
                Thread.detachNewThread {
                    play(Peer(descriptor: descriptor) { text in seen.update { $0.append(text) } })
                    close(descriptor)
                }
            }
        }
    }

    deinit {
        // Wakes the thread in accept(2), which closes the socket.
        if listens { shutdown(listener, Int32(SHUT_RDWR)) } else { close(listener) }
    }

    package struct CannotListen: Error {}

    /// Answers every request of a connection with the same bytes.
    package convenience init(answering text: String) throws {
        try self.init { peer in
            while peer.readRequest() != nil { guard peer.write(text) else { return } }
        }
    }

    /// Answers the first request of each connection and closes; nil closes without an answer.
    package convenience init(once answer: @escaping @Sendable (String) -> String?) throws {
        try self.init { peer in
            if let request = peer.readRequest(), let text = answer(request) { peer.write(text) }
        }
    }

    package static func answer(_ status: Int = 200, _ fields: String = "", body: String = "")
        -> String
    {
        "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
    }
}

/// The peer of one connection.
package struct Peer: Sendable {
    let descriptor: Int32
    let note: @Sendable (String) -> Void

    /// The next request with its body; nil at the end.
    package func readRequest() -> String? {
        var text = ""
        while true {
            if let end = text.range(of: "\r\n\r\n") {
                let length =
                    text[..<end.lowerBound].lowercased().split(separator: "\r\n")
                    .first { $0.hasPrefix("content-length: ") }
                    .flatMap { Int($0.dropFirst(16)) } ?? 0
                if text[end.upperBound...].utf8.count >= length {
                    note(text)
                    return text
                }
            }
            guard let chunk = read() else { return nil }
            text += String(decoding: chunk, as: UTF8.self)
        }
    }

    /// The received bytes; nil at the end of the connection.
    package func read() -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        return count > 0 ? Array(chunk[..<count]) : nil
    }

    /// Returns false if the client has gone.
    @discardableResult
    package func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Closes with a reset (SO_LINGER, socket(7)).
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger,
            socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// Waits until the client has closed.
    package func awaitEnd() { while read() != nil {} }

    /// Copies bytes both ways to a port of loopback, as a proxy does after CONNECT.
    package func splice(to port: UInt16) { splice(to: port) { _, _ in true } }

    /// The same, without the bytes that do not pass.
    ///
    /// - Parameter passes: Whether so many bytes go on, to the port or back.
    package func splice(
        to port: UInt16, passing passes: @escaping @Sendable (_ count: Int, _ isBack: Bool) -> Bool
    ) {
        let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        defer { close(other) }
        guard status == 0 else { return }
        let far = Peer(descriptor: other) { _ in }
        let back = PlatformThread(name: "splice") {
            while let bytes = far.read(), !passes(bytes.count, true) || self.write(bytes) {}
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
        while let bytes = read(), !passes(bytes.count, false) || far.write(bytes) {}
        shutdown(other, Int32(SHUT_RDWR))
        // It uses both descriptors, whose numbers must not be reused meanwhile.
        back.join()
    }
}
