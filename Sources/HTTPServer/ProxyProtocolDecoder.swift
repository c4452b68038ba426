import Glibc
import Platform

/// Reads a PROXY protocol header from a socket and not one byte more: what follows may be TLS.
struct ProxyProtocolDecoder {
    enum Step {
        case needsBytes
        case address(SocketAddress?)
        case invalid(ProxyProtocolHeader.Fault)
        case end
    }

    /// Peeks at what is there, and takes the header out once it is whole.
    mutating func read(from descriptor: Int32) -> Step {
        var buffer = [UInt8](repeating: 0, count: ProxyProtocolHeader.headerBytesMax)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_PEEK))
        if count == 0 { return .end }
        if count < 0 { return errno == EAGAIN || errno == EINTR ? .needsBytes : .end }
        switch ProxyProtocolHeader.parse(buffer[..<count]) {
        case .needsBytes: return .needsBytes
        case .invalid(let fault): return .invalid(fault)
        case .header(let length, let source):
            // The bytes are in the socket's buffer: a read of just these cannot come up short.
            _ = recv(descriptor, &buffer, length, 0)
            return .address(source)
        }
    }
}
