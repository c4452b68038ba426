import Platform

extension SocketAddress {
    /// Port 0 asks the kernel for a free port, each time another one.
    var isAnyPort: Bool {
        if case .ip(_, port: 0) = self { true } else { false }
    }

    /// Only this machine can connect: a Unix-domain socket, 127.0.0.0/8 (RFC 1122 §3.2.1.3) or ::1.
    package var isLocal: Bool {
        switch self {
        case .unix: true
        case .ip(.v4(let bytes), _): bytes.first == 127
        case .ip(.v6(let bytes), _): bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        }
    }
}
