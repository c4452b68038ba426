import Glibc
import Platform

/// The signals that a service manager or a terminal sends.
///
/// The handler does the one thing that is allowed there: it writes the signal's number into a pipe
/// (signal-safety(7)). Blocking the signals and reading them by `sigwait` would not do: the
/// runtime's threads exist before `main`, with the default mask.
enum TerminationSignal {
    private static let pipe: (reading: Int32, writing: Int32) = {
        var ends: [Int32] = [-1, -1]
        precondition(Glibc.pipe(&ends) == 0, "the kernel gives no pipe: errno \(errno)")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A handler must not block; a full pipe already holds more signals than anybody needs.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }()

    /// Takes SIGTERM, SIGINT and SIGHUP from here on. SIGPIPE is ignored: a peer that is gone is an
    /// error code (OpenSSL writes without MSG_NOSIGNAL).
    static func install() {
        signal(SIGPIPE, SIG_IGN)
        _ = pipe
        for number in [SIGTERM, SIGINT, SIGHUP] {
            signal(number) { number in
                let saved = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = Glibc.write(TerminationSignal.pipe.writing, &byte, 1)
                errno = saved
            }
        }
    }

    /// The signals as they come, after `install`.
    static func signals() -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        PlatformThread.detached(name: "ipnd-signals") {
            var byte: UInt8 = 0
            while true {
                let count = Glibc.read(pipe.reading, &byte, 1)
                if count == 1 { continuation.yield(Int32(byte)) }
                if count == 0 || (count < 0 && errno != EINTR) { return continuation.finish() }
            }
        }
        return stream
    }

    /// Returns on SIGTERM or SIGINT.
    static func wait() async {
        for await number in signals() where number != SIGHUP { return }
    }
}
