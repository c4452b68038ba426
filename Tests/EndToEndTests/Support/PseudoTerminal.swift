import Foundation
import TestSupport
import Testing

/// A pseudo-terminal with a number of columns that a program writes to (pty(7)).
final class PseudoTerminal {
    private let main: Int32
    private let other: FileHandle

    /// TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), which Swift does not import.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    init(columns: UInt16) throws {
        main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var unlocked: CInt = 0
        var number: CUnsignedInt = 0
        try #require(main >= 0 && ioctl(main, Self.setLock, &unlocked) == 0)
        try #require(ioctl(main, Self.getNumber, &number) == 0)
        let descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(descriptor >= 0)
        other = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var size = winsize(ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0)
    }

    deinit { close(main) }

    /// Runs ipnd with both outputs on the terminal, and returns the output with plain line ends.
    static func run(
        _ arguments: [String], columns: UInt16, environment: [String: String] = [:]
    ) throws -> String {
        let terminal = try PseudoTerminal(columns: columns)
        let process = try terminal.start(arguments, environment)
        // Reading ends when no process has the other side open.
        try terminal.other.close()
        let text = terminal.read { _ in false }
        process.waitUntilExit()
        return text
    }

    /// Starts ipnd, and reads its output until `isEnough` is true.
    static func watch(
        _ arguments: [String], columns: UInt16, until isEnough: @escaping (String) -> Bool
    ) throws -> String {
        let terminal = try PseudoTerminal(columns: columns)
        let process = try terminal.start(arguments, [:])
        defer { process.kill() }
        return terminal.read(until: isEnough)
    }

    private func start(
        _ arguments: [String], _ environment: [String: String]
    ) throws -> Child {
        let usual = ["TERM": "xterm", "TZ": "UTC"]
        let terminal = Child.Output.descriptor(other.fileDescriptor)
        return try Child(
            Binary.ipnd, arguments, environment: usual.merging(environment) { $1 },
            removing: ["NO_COLOR"], output: terminal, errors: terminal)
    }

    private func read(until isEnough: (String) -> Bool) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
            if isEnough(text) { return text }
            var place = pollfd(fd: main, events: Int16(POLLIN), revents: 0)
            guard poll(&place, 1, 60_000) > 0 else { return text }
            let count = Glibc.read(main, &buffer, buffer.count)
            // EIO: the last process closed the other side.
            guard count > 0 else { return text }
            bytes += buffer[..<count]
        }
    }
}
