import Foundation
import Glibc

/// Ports for programs that cannot report the port that the kernel chose.
package enum FreePort {
    private static let given = Box<Set<UInt16>>([])

    /// Returns a free port that no other user takes meanwhile: each is given to one test only, and
    /// the kernel chooses higher ports for listeners and clients (`net.ipv4.ip_local_port_range`
    /// begins at 32768 by default).
    package static func take() throws -> UInt16 {
        for _ in 0..<1000 {
            let port = UInt16.random(in: 12_000..<32_000)
            var isNew = false
            given.update { isNew = $0.insert(port).inserted }
            if isNew, isFree(port) { return port }
        }
        throw POSIXError(.EADDRINUSE)
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0
            }
        }
    }
}
