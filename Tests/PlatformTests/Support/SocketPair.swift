import Glibc

/// Two joined, non-blocking stream sockets.
struct SocketPair {
    let ours: Int32
    let theirs: Int32

    init() {
        var descriptors: [Int32] = [-1, -1]
        let kind =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        precondition(socketpair(AF_UNIX, kind, 0, &descriptors) == 0)
        (ours, theirs) = (descriptors[0], descriptors[1])
    }

    func theySend(_ count: Int) {
        _ = Glibc.send(theirs, [UInt8](repeating: 1, count: count), count, Int32(MSG_NOSIGNAL))
    }

    /// Fills the buffer of this side until the kernel takes no more.
    func fill() {
        let bytes = [UInt8](repeating: 2, count: 65536)
        while Glibc.send(ours, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 {}
    }

    func theyReadEverything() {
        var bytes = [UInt8](repeating: 0, count: 65536)
        while Glibc.recv(theirs, &bytes, bytes.count, 0) > 0 {}
    }
}
