import Foundation

/// The result of a finished program.
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
    let child = try Child(
        program, arguments, environment: environment, input: input == nil ? .nothing : .pipe,
        output: .pipe, errors: .pipe)
    guard let output = child.output, let errors = child.errors else { fatalError("no pipes") }
    // All pipes at once: a program that waits for one pipe would otherwise block forever.
    let rest = PipeReader(errors)
    if let input, let source = child.input {
        Thread.detachNewThread {
            // A program need not read all of its input.
            try? source.write(contentsOf: Data(input.utf8))
            try? source.close()
        }
    }
    let bytes = output.readDataToEndOfFile()
    return Finished(status: child.waitUntilExit(), bytes: bytes, errors: rest.text())
}

/// The path of an installed program; nil if it is not installed.
package func installedProgram(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin"]
    return (folders + path.split(separator: ":").map(String.init)).map { "\($0)/\(name)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// Reads a pipe to its end on a separate thread.
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

/// Collects a program's output while it runs, on a separate thread.
package final class LogReader: Sendable {
    private let group = DispatchGroup()

    package init(_ handle: FileHandle, into log: Box<String>) {
        group.enter()
        Thread.detachNewThread { [group] in
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                log.update { $0 += String(decoding: data, as: UTF8.self) }
            }
            group.leave()
        }
    }

    /// Waits until all writers have closed it.
    package func awaitEnd() { group.wait() }
}

/// A value under a lock.
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
