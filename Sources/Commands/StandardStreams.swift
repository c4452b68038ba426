import ArgumentParser
import Bytes
import Glibc
import Platform
import Simulator

/// What people read when something is wrong.
enum StandardError {
    /// Writes a line at once, unbuffered. A failure is ignored: there is nowhere left to report it.
    static func print(_ text: String) {
        _ = put(shown(line(text), on: STDERR_FILENO), to: STDERR_FILENO)
    }
}

/// What other programs read. Output that cannot be written ends the process with `EX_IOERR`: a
/// backup that was cut short must not look like one that succeeded.
enum StandardOutput {
    /// Writes a line at once: stdio would buffer it in a pipe, and the reader would wait.
    static func print(_ text: String) { _ = write(line(text)) }

    /// Writes bytes, to a file or a pipe as they are. False when the reader has closed the pipe
    /// (`journal cat | head`), which only a command that ignores SIGPIPE sees.
    static func write(_ bytes: [UInt8]) -> Bool {
        switch put(shown(bytes, on: STDOUT_FILENO), to: STDOUT_FILENO) {
        case 0: return true
        case EPIPE: return false
        case let error: fail(error)
        }
    }

    /// Writes a line if it can: a server must not end because its output is closed.
    static func announce(_ text: String) {
        let error = put(shown(line(text), on: STDOUT_FILENO), to: STDOUT_FILENO)
        if error != 0 { StandardError.print(sentence(error)) }
    }

    /// The same for what is written by stdio, as the help is: at the end of the process.
    static func checkAtExit() {
        atexit {
            guard fflush(nil) != 0 else { return }
            StandardError.print(StandardOutput.sentence(errno))
            _exit(EX_IOERR)
        }
    }

    /// If a standard stream is closed at the start, the next file opened would take its number and
    /// receive what is printed. So /dev/null, open for reading only, takes the place of
    /// each closed one.
    static func keepDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest that is free, which is this one.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    private static func fail(_ error: Int32) -> Never {
        StandardError.print(sentence(error))
        _exit(EX_IOERR)
    }

    private static func sentence(_ error: Int32) -> String {
        "ipnd: standard output cannot be written: \(String(cString: strerror(error)))"
    }
}

private func line(_ text: String) -> [UInt8] {
    Array((text.hasSuffix("\n") ? text : text + "\n").utf8)
}

/// The bytes as a terminal may get them, so that no text from outside can steer it. Files and pipes
/// get every byte unchanged.
private func shown(_ bytes: [UInt8], on descriptor: Int32) -> [UInt8] {
    guard bytes.span.mayHoldSteering, isatty(descriptor) == 1 else { return bytes }
    return Array(String(decoding: bytes, as: UTF8.self).escapingSteeringBeyondASCII.utf8)
}

/// 0, or the kernel's error.
private func put(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var sent = 0
    while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
            Glibc.write(descriptor, $0.baseAddress! + sent, bytes.count - sent)
        }
        guard count > 0 else {
            if count < 0, errno == EINTR { continue }
            return count < 0 ? errno : EIO
        }
        sent += count
    }
    return 0
}

/// How what people read is shown.
struct TerminalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use colours: auto, always or never. auto: on a terminal, unless NO_COLOR is set.",
            valueName: "when"))
    var color = Terminal.ColorChoice.auto

    /// Standard output.
    var terminal: Terminal { Terminal(color: color, now: SystemClock().coarseWallSeconds) }
}

extension Terminal.ColorChoice: ExpressibleByArgument {}

extension TextTable {
    /// Writes the table; false when the reader has closed the pipe.
    @discardableResult
    func print(on terminal: Terminal) -> Bool {
        StandardOutput.write(Array((lines(on: terminal).joined(separator: "\n") + "\n").utf8))
    }
}

/// A progress bar on standard error, drawn on a terminal only and a few times a second at most.
final class ProgressBar {
    private static let width = 40

    private let title: String
    private let isShown: Bool
    private var drawn = -1

    init(_ title: String) {
        self.title = title
        isShown = isatty(STDERR_FILENO) == 1
    }

    func show(_ done: Int, of total: Int) {
        guard isShown, total > 0 else { return }
        let percent = min(100, done * 100 / total)
        guard percent != drawn else { return }
        drawn = percent
        let filled = percent * Self.width / 100
        let bar =
            String(repeating: "#", count: filled)
            + String(repeating: ".", count: Self.width - filled)
        put("\r\(title) [\(bar)] \(percent) %")
    }

    /// Takes the bar away.
    func finish() {
        if isShown, drawn >= 0 { put("\r\u{1B}[K") }
    }

    private func put(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}

/// `1 record`, `2 records`.
func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}
