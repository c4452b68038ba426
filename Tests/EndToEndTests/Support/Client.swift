import Foundation

/// A server's answer.
struct HTTPAnswer: Equatable, Sendable {
    var status: Int
    var fields: [String: String]
    var body: String
}

/// A raw HTTP client on a blocking socket, which also sends malformed requests.
///
/// `@unchecked Sendable`: a test hands each client to one thread and uses it there alone.
final class Client: @unchecked Sendable {
    /// `why` is an end by the server, a reset, or no byte for `receiveSeconds`.
    struct ConnectionClosed: Error { var why = "end" }
    private let descriptor: Int32
    var buffer: [UInt8] = []

    /// Connects to a loopback port from 127.0.0.`source`; all of 127.0.0.0/8 is this machine.
    init(port: UInt16, receiveSeconds: Int = 60, source: UInt8? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if let source {
            try Self.check(Self.withLoopback(octet: source, port: 0) { bind(descriptor, $0, $1) })
        }
        try Self.check(Self.withLoopback(octet: 1, port: port) { connect(descriptor, $0, $1) })
        setReceiveTimeout(receiveSeconds)
    }

    private static func withLoopback(
        octet: UInt8, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = (0x7F00_0000 + UInt32(octet)).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func check(_ status: Int32) throws {
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    /// Connects to a Unix-domain socket.
    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        setReceiveTimeout(60)
    }

    deinit { close(descriptor) }

    /// Closes with a reset instead of an orderly end, like haproxy.
    func resetAtEnd() {
        var abort = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
    }

    private func setReceiveTimeout(_ seconds: Int) {
        var timeout = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Self.closed(count) }
            sent += count
        }
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Reads one answer and keeps the bytes of the next one.
    func receive(isHead: Bool = false) throws -> HTTPAnswer {
        while true {
            let (head, bodyStart) = try receiveHead()
            var lines = head.components(separatedBy: "\r\n")
            let status = Int(lines.removeFirst().split(separator: " ")[1]) ?? 0
            var fields: [String: String] = [:]
            for line in lines {
                let parts = line.split(separator: ":", maxSplits: 1)
                fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
            }
            buffer.removeFirst(bodyStart)
            if status == 100 { continue }
            if !isHead, fields["transfer-encoding"] == "chunked" {
                let body = String(decoding: try receiveChunks(), as: UTF8.self)
                return HTTPAnswer(status: status, fields: fields, body: body)
            }
            let length = isHead ? 0 : Int(fields["content-length"] ?? "0") ?? 0
            while buffer.count < length { try fill() }
            let body = String(decoding: buffer[..<length], as: UTF8.self)
            buffer.removeFirst(length)
            return HTTPAnswer(status: status, fields: fields, body: body)
        }
    }

    /// Whether the server has closed the connection without further bytes.
    func isClosedByServer() -> Bool {
        guard buffer.isEmpty else { return false }
        do {
            try fill()
            return false
        } catch {
            return true
        }
    }

    func receiveHead() throws -> (String, Int) {
        while true {
            if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) {
                return (String(decoding: buffer[..<end.lowerBound], as: UTF8.self), end.upperBound)
            }
            try fill()
        }
    }

    private static func closed(_ count: Int) -> ConnectionClosed {
        count == 0 ? ConnectionClosed() : ConnectionClosed(why: String(cString: strerror(errno)))
    }

    func fill() throws {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { throw Self.closed(count) }
        buffer.append(contentsOf: chunk[..<count])
    }
}
