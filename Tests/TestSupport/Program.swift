import Foundation

/// What a finished program left.
package struct Finished: Sendable {
    package let status: Int32
    package let bytes: Data
    package let errors: String

    package var output: String { String(decoding: bytes, as: UTF8.self) }
    package var lines: [String] { output.split(separator: "\n").map(String.init) }
}

/// Runs a program to its end. A program without a slash is looked up in `PATH`.
package func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:],
    input: String? = nil
) throws -> Finished {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program.contains("/") ? program : "/usr/bin/env")
    process.arguments = program.contains("/") ? arguments : [program] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    let errors = Pipe()
    let source = input.map { _ in Pipe() }
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = source ?? FileHandle.nullDevice
    try process.run()
    // Both pipes are read at once: a program that fills one would wait for ever for the other.
    let rest = PipeReader(errors.fileHandleForReading)
    if let source, let input {
        try source.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try source.fileHandleForWriting.close()
    }
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Finished(status: process.terminationStatus, bytes: bytes, errors: rest.text())
}

/// The path of a program of the system's; nil where it is not installed.
package func installedProgram(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin"]
    return (folders + path.split(separator: ":").map(String.init)).map { "\($0)/\(name)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// Reads a pipe to its end on a thread of its own.
package final class PipeReader: Sendable {
    private let group = DispatchGroup()
    private let data = Box<Data>(Data())

    package init(_ handle: FileHandle) {
        group.enter()
        Thread.detachNewThread { [data, group] in
            data.set(handle.readDataToEndOfFile())
            group.leave()
        }
    }

    package func text() -> String {
        group.wait()
        return String(decoding: data.get(), as: UTF8.self)
    }
}

/// A value behind a lock.
///
/// `@unchecked Sendable`: `value` is read and written under `lock` only.
package final class Box<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    package func get() -> Value { lock.withLock { value } }
    package func set(_ new: Value) { lock.withLock { value = new } }
    package func update(_ body: (inout Value) -> Void) { lock.withLock { body(&value) } }
}
