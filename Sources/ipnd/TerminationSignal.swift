import Glibc
import Platform

/// The signals that a service manager or a terminal sends, read by `sigwait` on a thread of its
/// own, so that no code of ours runs in a signal handler.
enum TerminationSignal {
    /// Keeps the signals for `signals()`. Call first thing: threads inherit the mask, and a thread
    /// without it would die of the signal. SIGPIPE is ignored: a peer that is gone is an error
    /// code (OpenSSL writes without MSG_NOSIGNAL).
    static func block() {
        signal(SIGPIPE, SIG_IGN)
        var set = handled
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// SIGTERM, SIGINT and SIGHUP as they come, after `block`.
    static func signals() -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        _ = PlatformThread(name: "ipnd-signals") {
            var set = handled
            while true {
                var number: Int32 = 0
                if sigwait(&set, &number) == 0 { continuation.yield(number) }
            }
        }
        return stream
    }

    /// Returns on SIGTERM or SIGINT.
    static func wait() async {
        for await number in signals() where number != SIGHUP { return }
    }

    private static var handled: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, number) }
        return set
    }
}
