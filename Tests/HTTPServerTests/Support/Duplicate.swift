import Glibc

/// A client's socket for another thread, which sends while the test receives.
struct Duplicate: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Sends all bytes; returns false if the connection is closed.
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Reads and discards the available bytes; returns false at the end.
    func discard() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        return recv(descriptor, &chunk, chunk.count, 0) > 0
    }
}

extension TestClient {
    func breakOff() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Makes the client reset the connection when it closes.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}

extension TestClient {
    /// Whether no unread bytes and no end of the stream are pending.
    var isQuiet: Bool {
        var item = pollfd(descriptor, Int16(POLLIN))
        return poll(&item, 1, 0) == 0
    }

    private func pollfd(_ descriptor: Int32, _ events: Int16) -> Glibc.pollfd {
        Glibc.pollfd(fd: descriptor, events: events, revents: 0)
    }
}
