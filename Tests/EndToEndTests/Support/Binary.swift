import Foundation

/// The programs that these tests run.
enum Binary {
    /// The ipnd that was built beside the tests, or the one that `IPND_BINARY` names.
    static let ipnd: String = {
        if let named = ProcessInfo.processInfo.environment["IPND_BINARY"] { return named }
        let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return runner.deletingLastPathComponent().appendingPathComponent("ipnd").path
    }()

    /// A program of the system's; nil where it is not installed.
    static func installed(_ name: String) -> String? {
        ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin"].map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

/// What a finished program left.
struct Finished {
    let status: Int32
    let output: String
    let errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
}

/// Runs a program to its end.
func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:]
) throws -> Finished {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    // Both pipes are read at once: a program that fills one would wait for ever for the other.
    let rest = Reader(errors.fileHandleForReading)
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Finished(status: process.terminationStatus, output: text, errors: rest.text())
}

/// Reads a pipe to its end on a thread of its own.
final class Reader: Sendable {
    private let group = DispatchGroup()
    private let data = Box<Data>(Data())

    init(_ handle: FileHandle) {
        group.enter()
        Thread.detachNewThread { [data, group] in
            data.set(handle.readDataToEndOfFile())
            group.leave()
        }
    }

    func text() -> String {
        group.wait()
        return String(decoding: data.get(), as: UTF8.self)
    }
}

/// A value behind a lock.
final class Box<Value: Sendable>: @unchecked Sendable {
    // Proof: `value` is read and written under `lock` only.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func get() -> Value { lock.withLock { value } }
    func set(_ new: Value) { lock.withLock { value = new } }
    func update(_ body: (inout Value) -> Void) { lock.withLock { body(&value) } }
}
