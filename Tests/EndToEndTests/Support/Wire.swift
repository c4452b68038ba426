import Foundation
import TLS

/// A non-blocking connection, plain or through TLS.
final class Wire {
    struct HandshakeFailed: Error { let why: String }

    private let descriptor: Int32
    private var session: TLSSession?
    /// Whether the server has closed the connection, properly or not.
    private(set) var isEnded = false

    init(port: UInt16, tls client: TLSClient?) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        guard let client else { return }
        session = TLSSession(connecting: client, descriptor: descriptor, host: "localhost")
        while true {
            switch session!.handshake() {
            case .done: return
            case .wantsRead: wait(Int16(POLLIN), 5000)
            case .wantsWrite: wait(Int16(POLLOUT), 5000)
            case .closed: throw HandshakeFailed(why: "closed")
            case .failed(let error): throw HandshakeFailed(why: "\(error)")
            }
        }
    }

    deinit { close(descriptor) }

    /// Sends as much as the socket accepts; negative if the connection is closed.
    func send(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.withUnsafeBytes { buffer in
            guard session != nil else {
                let count = Glibc.send(
                    descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
                return count >= 0 ? count : errno == EAGAIN ? 0 : -1
            }
            switch session!.write(buffer) {
            case .done(let count): return count
            case .wantsRead, .wantsWrite: return 0
            case .closed, .failed: return -1
            }
        }
    }

    /// Reads the available bytes or waits briefly, and returns whether any came.
    func receive(into received: inout [UInt8], milliseconds: Int32 = 20) throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        for attempt in 0..<2 {
            let step = chunk.withUnsafeMutableBytes { read(into: $0) }
            if let count = step, count > 0 {
                received += chunk[..<count]
                return true
            }
            if step == nil { isEnded = true }
            if isEnded || attempt == 1 { return false }
            wait(Int16(POLLIN), milliseconds)
        }
        return false
    }

    /// Returns the number of bytes read, 0 for none yet, nil at the end.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard session != nil else {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return count }
            return count < 0 && errno == EAGAIN ? 0 : nil
        }
        switch session!.read(into: buffer) {
        case .done(let count): return count
        case .wantsRead, .wantsWrite: return 0
        case .closed, .failed: return nil
        }
    }

    private func wait(_ events: Int16, _ milliseconds: Int32) {
        var item = pollfd(fd: descriptor, events: events, revents: 0)
        poll(&item, 1, milliseconds)
    }
}
