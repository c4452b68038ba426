import Bytes
import Glibc

/// Standard error: messages for people.
package enum StandardError {
    /// Writes a line at once, unbuffered. Failures are ignored: there is nowhere to report them.
    package static func print(_ text: String) {
        _ = put(shown(line(text), on: STDERR_FILENO), to: STDERR_FILENO)
    }
}

/// Standard output, which other programs may read. Output that cannot be written ends the process
/// with `EX_IOERR`: a truncated backup must not look complete.
package enum StandardOutput {
    /// Writes a line at once: stdio would buffer it in a pipe, and the reader would wait.
    package static func print(_ text: String) { _ = write(line(text)) }

    /// Writes bytes, unchanged to a file or a pipe. Returns false when the reader has closed the
    /// pipe (`journal cat | head`), which only a command that ignores SIGPIPE observes.
    package static func write(_ bytes: [UInt8]) -> Bool {
        switch put(shown(bytes, on: STDOUT_FILENO), to: STDOUT_FILENO) {
        case 0: return true
        case EPIPE: return false
        case let error: fail(error)
        }
    }

    /// Writes a line and reports a failure: a server must not end because its output is closed.
    package static func announce(_ text: String) {
        let error = put(shown(line(text), on: STDOUT_FILENO), to: STDOUT_FILENO)
        if error != 0 { StandardError.print(sentence(error)) }
    }

    /// Flushes stdio at exit, which the argument parser's help uses, and ends with `EX_IOERR` if
    /// that fails.
    package static func checkAtExit() {
        atexit {
            guard fflush(nil) != 0 else { return }
            StandardError.print(StandardOutput.sentence(errno))
            _exit(EX_IOERR)
        }
    }

    /// Opens /dev/null, read-only, in place of each closed standard stream. Otherwise the next file
    /// that is opened would take the number and receive what is printed.
    package static func keepDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // open(2) returns the lowest free number, which is this one.
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

extension TextTable {
    /// Writes the table to standard output; false when the reader has closed the pipe.
    @discardableResult
    package func print(on terminal: Terminal) -> Bool {
        StandardOutput.write(Array((lines(on: terminal).joined(separator: "\n") + "\n").utf8))
    }
}

private func line(_ text: String) -> [UInt8] {
    Array((text.hasSuffix("\n") ? text : text + "\n").utf8)
}

/// The bytes, with control characters escaped where `descriptor` is a terminal: text from outside
/// must not control it. Files and pipes get every byte unchanged.
private func shown(_ bytes: [UInt8], on descriptor: Int32) -> [UInt8] {
    guard bytes.span.mayHoldSteering, isatty(descriptor) == 1 else { return bytes }
    return Array(String(decoding: bytes, as: UTF8.self).escapingSteeringBeyondASCII.utf8)
}

/// Writes all bytes. Returns 0, or the kernel's error.
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
