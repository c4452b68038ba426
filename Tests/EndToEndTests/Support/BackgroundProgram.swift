import Foundation
import TestSupport

/// A program that runs beside the test until `stop`.
final class BackgroundProgram {
    private let process: Child
    private let log = Box("")

    /// The output so far.
    var output: String { log.get() }

    init(_ program: String, _ arguments: [String]) throws {
        process = try Child(program, arguments, output: .pipe, errors: .output)
        if let output = process.output { _ = LogReader(output, into: log) }
    }

    /// Connects as soon as it listens; nil if it does not in time.
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
        process.signal(SIGTERM)
        process.waitUntilExit()
    }

    func kill() { process.kill() }
}
