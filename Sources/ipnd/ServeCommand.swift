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

    func run() async throws {
        TerminationSignal.install()
        let configuration = try file.load()
        let service = try Service.start(configuration)
        StandardOutput.print(service.readyLine)
        for await signal in TerminationSignal.signals() {
            guard signal == SIGHUP else { break }
            await service.reload(from: file.config)
        }
        await service.stop()
    }
}
