import Foundation
import TestSupport
import Testing

/// `ipnd-bench echo` in its own process: the HTTP server without the receiver.
final class EchoTarget {
    let process: Child
    let address: String

    var port: UInt16 { UInt16(address.split(separator: ":").last ?? "") ?? 0 }

    /// - Parameters:
    ///   - arguments: Further arguments.
    ///   - descriptorsMax: Its descriptor limit (prlimit(1)); nil for this process's limit.
    init(_ arguments: [String] = [], listen: String = "127.0.0.1:0", descriptorsMax: Int? = nil)
        throws
    {
        // What is tested is the client: however slowly a busy machine lets it run, its handshake
        // does not end for the lack of time.
        let command =
            [Binary.bench, "echo", "--listen", listen, "--limit", "handshakeSecondsMax=3600"]
            + arguments
        if let descriptorsMax {
            process = try Child(
                try #require(installedProgram("prlimit")),
                ["--nofile=\(descriptorsMax):\(descriptorsMax)"] + command, output: .pipe)
        } else {
            process = try Child(command[0], Array(command.dropFirst()), output: .pipe)
        }
        var line: [UInt8] = []
        while let byte = try process.output?.read(upToCount: 1)?.first, byte != 0x0A {
            line.append(byte)
        }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        address = String(try #require(words.last))
    }

    /// Number of its open descriptors.
    func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd")
            .count
    }
}
