import Foundation
import TestSupport

/// A server that a test starts in the foreground of a shell, in its own process group and with none
/// of the test process's streams. It ends with the test process.
///
/// All long-running processes of the fixtures are started here.
final class ServerProcess: Sendable {
    private let process: Child

    /// - Parameter script: A script for `/bin/sh`, with `arguments` as its parameters. It must end
    ///   the server when its standard input ends, whose other end the test process holds.
    init(_ script: String, _ arguments: [String]) throws {
        process = try Child(
            "/bin/sh", ["-c", Self.common + script, "sh"] + arguments, input: .pipe,
            endsByItself: true)
    }

    /// `$as` before a command drops root, which such servers refuse; it is empty for another user.
    private static let common = """
        as=
        [ "$(id -u)" -ne 0 ] || as='setpriv --reuid postgres --regid postgres --init-groups'

        """

    var isRunning: Bool { process.isRunning }

    /// Writes to its standard input.
    func write(_ text: String) throws {
        try process.input?.write(contentsOf: Data(text.utf8))
    }

    /// Ends it, and waits until it has ended.
    func stop() {
        try? process.input?.close()
        process.waitUntilExit()
    }

    /// Waits until a program reports that the server accepts connections; returns false if the
    /// server has ended or a minute has passed.
    func comesUp(_ program: String, _ arguments: [String]) throws -> Bool {
        let end = Date(timeIntervalSinceNow: 60)
        while Date() < end {
            if try run(program, arguments).status == 0 { return true }
            guard isRunning else { return false }
            poll(nil, 0, 20)
        }
        return false
    }
}
