import Foundation
import TestSupport

/// A server that a test starts: in the foreground of a shell, in a process group of its own, with
/// none of the test process's streams. It ends when the test process does, however that ends.
///
/// This is the one place where the fixtures start something that stays.
final class ServerProcess: Sendable {
    private let process: Child

    /// - Parameter script: For `/bin/sh`, with `arguments` as its parameters. It ends the server
    ///   when its standard input ends: the test process holds the other end.
    init(_ script: String, _ arguments: [String]) throws {
        process = try Child(
            "/bin/sh", ["-c", Self.common + script, "sh"] + arguments, input: .pipe,
            endsByItself: true)
    }

    /// `$as` before a command: such servers do not run as root. Whoever is somebody else already
    /// stays that.
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

    /// Waits until a program says that the server takes connections; false when the server has
    /// ended, or a minute has passed.
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
