import Foundation
import Testing

/// The `openssl` command as a second opinion: it makes the keys that this module must read or
/// refuse.
enum OpenSSLCommand {
    /// Standard output of `openssl` with `arguments`, fed with `input`.
    static func run(_ arguments: [String], input: String = "") throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let standardInput = Pipe()
        let standardOutput = Pipe()
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        process.standardError = FileHandle.nullDevice
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let output = try standardOutput.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl \(arguments) failed")
        return output
    }

    /// The same as text.
    static func text(_ arguments: [String], input: String = "") throws -> String {
        try String(decoding: run(arguments, input: input), as: UTF8.self)
    }
}
