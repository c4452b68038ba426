import ArgumentParser
import Console
import Glibc
import Platform
import ServerConfiguration

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

            Example: ipnd serve --config sandbox/ipnd.yaml
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
            in: .current, clock: SystemClock())
        StandardOutput.announce(service.readyLine)
        supervisor.ready()
        let heartbeat = Task(executorPreference: WorkerPool.shared) {
            await service.beat(supervisor)
        }
        let signals = TerminationSignal.signals()
        for await signal in signals {
            guard signal == SIGHUP else { break }
            supervisor.reloading()
            await service.reload(from: file.config, logFormat: logFormat)
            supervisor.ready()
        }
        supervisor.stopping()
        let stop = Task(executorPreference: WorkerPool.shared) { await service.stop() }
        // A second signal ends the wait for slow clients. Acknowledged notifications are on disk,
        // and queued ones are still written.
        let second = Task(executorPreference: WorkerPool.shared) {
            for await signal in signals where signal != SIGHUP { stop.cancel() }
        }
        await stop.value
        second.cancel()
        heartbeat.cancel()
    }
}

extension LogConfiguration.Format: ExpressibleByArgument {}

/// Signals of a service manager or a terminal.
///
/// The handler writes the signal's number into a pipe, which is async-signal-safe
/// (signal-safety(7)). Blocking the signals and reading them with `sigwait` would not work: the
/// runtime's threads exist before `main`, with the default mask.
package enum TerminationSignal {
    private static let pipe: (reading: Int32, writing: Int32) = {
        var ends: [Int32] = [-1, -1]
        precondition(Glibc.pipe(&ends) == 0, "the kernel gives no pipe: errno \(errno)")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A handler must not block. A full pipe already holds more signals than are needed.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }()

    /// Installs handlers of SIGTERM, SIGINT and SIGHUP, and ignores SIGPIPE: a closed connection
    /// must be an error (OpenSSL writes without MSG_NOSIGNAL).
    package static func install() {
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

    /// The signals, in order, after ``install()``.
    package static func signals() -> AsyncStream<Int32> {
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
    package static func wait() async {
        for await number in signals() where number != SIGHUP { return }
    }
}
