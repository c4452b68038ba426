import ArgumentParser
import Configuration
import Glibc
import Platform

/// Runs the server until SIGTERM or SIGINT; SIGHUP reloads the configuration.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Receives notifications until SIGTERM.",
        discussion: """
            Logs go to standard error. One line `ready ADDRESS… admin=ADDRESS` on standard output \
            says that connections are accepted; systemd is told too (Type=notify), and sockets \
            that it passes are used. SIGTERM drains and exits 0, a second one ends the drain at \
            once; SIGHUP reloads the configuration, keys and certificates. Exit status 78 is a \
            mistake in the configuration, 72 a journal that is locked, corrupt, moved away, or not \
            the one that was used before.
            """)

    @OptionGroup var file: ConfigurationOption
    @Option(help: "How log lines look, whatever the configuration says: text or json.")
    var logFormat: LogConfiguration.Format?

    @Flag(
        help: """
            Accept that the journal is gone, another one, or ends before what was recorded: go on \
            with what is there, or with a new one, under a new identity.
            """)
    var newJournal = false

    func run() async throws {
        TerminationSignal.install()
        DescriptorLimit.raise()
        Memory.returnLargeBlocks()
        var configuration = try file.load()
        if let logFormat { configuration.log.format = logFormat }
        let supervisor = ServiceSupervisor()
        let service = try await Service.start(
            configuration, supervisor: supervisor, acceptsNewJournal: newJournal)
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
