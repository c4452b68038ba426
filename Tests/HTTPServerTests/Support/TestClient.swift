import CLinux
import Glibc
import Platform

/// A blocking client that sends exactly the given bytes.
final class TestClient {
    struct Failure: Error { let errno: Int32 }

    struct Answer: Equatable {
        var status: Int
        var fields: [String: String]
        var body: String
    }

    let descriptor: Int32
    private var buffer: [UInt8] = []

    /// - Parameter receiveBytes: Size of the socket's receive buffer, for a slow reader.
    init(_ address: SocketAddress, receiveBytes: Int32? = nil) throws {
        guard case .ip(.v4(let bytes), let port) = address else { throw Failure(errno: EINVAL) }
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var receiveBytes { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBytes, 4) }
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &name.sin_addr) { $0.copyBytes(from: bytes) }
        let status = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure(errno: errno) }
    }

    deinit { close(descriptor) }

    /// Two joined, non-blocking stream sockets, which the caller closes.
    static func joinedSockets() -> [Int32] {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        precondition(socketpair(AF_UNIX, type, 0, &ends) == 0)
        return ends
    }

    /// Sends all bytes; returns false if the server has closed the connection.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        Duplicate(descriptor).send(bytes)
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func get(_ target: String = "/", _ fields: String = "") throws -> Answer {
        send("GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
        return try receive()
    }

    /// The next answer, or the error that ended the connection.
    func receive(isHead: Bool = false) throws -> Answer {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let place = buffer.indices.first(where: { buffer[$0...].starts(with: end) }) {
                return try answer(head: Array(buffer[..<place]), from: place + 4, isHead: isHead)
            }
            try fill()
        }
    }

    private func answer(head: [UInt8], from start: Int, isHead: Bool) throws -> Answer {
        var lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let status = Int(lines.removeFirst().split(separator: " ")[1]) ?? 0
        var fields: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts[1].trimmed
        }
        let length = isHead || status == 100 ? 0 : Int(fields["content-length"] ?? "") ?? 0
        while buffer.count < start + length { try fill() }
        let body = String(decoding: buffer[start..<(start + length)], as: UTF8.self)
        buffer.removeFirst(start + length)
        return Answer(status: status, fields: fields, body: body)
    }

    /// Whether the server closes without sending anything more, before the receive timeout.
    func isClosedByServer() -> Bool {
        do {
            while true { try fill() }
        } catch {
            return buffer.isEmpty && (error as? Failure)?.errno != EAGAIN
        }
    }

    /// Reads and discards at most `count` bytes; returns the number read.
    func discard(_ count: Int) -> Int {
        var chunk = [UInt8](repeating: 0, count: count)
        return recv(descriptor, &chunk, count, 0)
    }

    private func fill() throws {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { throw Failure(errno: count == 0 ? 0 : errno) }
        buffer.append(contentsOf: chunk[..<count])
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " })
    }
}
