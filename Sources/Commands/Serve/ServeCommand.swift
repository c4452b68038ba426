import ArgumentParser
import Configuration
import Glibc
import Platform

/// Runs the server until SIGTERM or SIGINT; SIGHUP reloads the configuration.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the server until SIGTERM.",
        discussion: """
            Logs to standard error. Prints one line `ready ADDRESS… admin=ADDRESS` to standard \
            output once it accepts connections. Notifies systemd (Type=notify) and uses sockets \
            passed by it. SIGTERM drains and exits 0; a second SIGTERM exits at once. SIGHUP \
            reloads the configuration, keys and certificates.

            Exit status 78: the configuration is invalid. 72: the journal is locked, corrupt, was \
            moved, or is not the one used before.
            """)

    @OptionGroup var file: ConfigurationOption
    @Option(help: "Log format, overriding the configuration: text or json.")
    var logFormat: LogConfiguration.Format?

    @Flag(
        help: """
            Accept that the journal is missing, is another one, or lacks its last records. \
            Continue with what is there, or with a new journal, under a new identity.
            """)
    var newJournal = false

    func run() async throws {
        TerminationSignal.install()
        Memory.forbidDumps()
        DescriptorLimit.raise()
        Memory.returnLargeBlocks()
        var configuration = try file.load()
        if let logFormat { configuration.log.format = logFormat }
        let supervisor = ServiceSupervisor()
        let service = try await Service.start(
            configuration, supervisor: supervisor, acceptsNewJournal: newJournal,
            clock: SystemClock())
        StandardOutput.announce(service.readyLine)
        supervisor.ready()
        let heartbeat = Task { await service.beat(supervisor) }
        let signals = TerminationSignal.signals()
        for await signal in signals {
            guard signal == SIGHUP else { break }
            supervisor.reloading()
            await service.reload(from: file.config, logFormat: logFormat)
            supervisor.ready()
        }
        supervisor.stopping()
        let stop = Task { await service.stop() }
        // A second signal: whoever sent it does not want to wait for slow clients. What was
        // acknowledged is on disk, and what the queue holds still gets there.
        let second = Task { for await signal in signals where signal != SIGHUP { stop.cancel() } }
        await stop.value
        second.cancel()
        heartbeat.cancel()
    }
}

extension LogConfiguration.Format: ExpressibleByArgument {}

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
