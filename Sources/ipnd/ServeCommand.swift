import ArgumentParser
import Configuration
import Glibc

/// Runs the server until SIGTERM or SIGINT; SIGHUP reloads the configuration.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Receives notifications until SIGTERM.",
        discussion: """
            Logs go to standard error. One line `ready ADDRESS… admin=ADDRESS` on standard output \
            says that connections are accepted. SIGTERM drains and exits 0; SIGHUP reloads the \
            configuration, keys and certificates. Exit status 78 is a mistake in the \
            configuration, 72 a journal that is locked or corrupt.
            """)

    @OptionGroup var file: ConfigurationOption
    @Option(help: "How log lines look, whatever the configuration says: text or json.")
    var logFormat: LogConfiguration.Format?

    func run() async throws {
        TerminationSignal.install()
        var configuration = try file.load()
        if let logFormat { configuration.log.format = logFormat }
        let service = try Service.start(configuration)
        StandardOutput.print(service.readyLine)
        for await signal in TerminationSignal.signals() {
            guard signal == SIGHUP else { break }
            await service.reload(from: file.config, logFormat: logFormat)
        }
        await service.stop()
    }
}

extension LogConfiguration.Format: ExpressibleByArgument {}
