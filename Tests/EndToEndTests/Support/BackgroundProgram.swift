import Foundation
import TestSupport

/// A program that runs beside the test until `stop`.
final class BackgroundProgram {
    private let process = Process()
    private let log = Box("")

    /// What it has written so far.
    var output: String { log.get() }

    init(_ program: String, _ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        Thread.detachNewThread { [log] in
            while true {
                let data = pipe.fileHandleForReading.availableData
                if data.isEmpty { return }
                log.update { $0 += String(decoding: data, as: UTF8.self) }
            }
        }
    }

    /// Connects as soon as it listens; nil when it does not within the usual patience.
    func connect(port: UInt16) throws -> Client? {
        var client: Client?
        _ = eventually {
            guard process.isRunning else { return true }
            client = try? Client(port: port)
            return client != nil
        }
        return client
    }

    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// For a program that SIGTERM does not end: the threads of tests block signals, and what they
    /// start begins with the same mask.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// Ports for programs that cannot tell which one the kernel chose for them.
enum FreePort {
    /// A port that was free a moment ago.
    static func take() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard status == 0 else { throw POSIXError(.EADDRINUSE) }
        return UInt16(bigEndian: address.sin_port)
    }
}
