import ArgumentParser
import Configuration
import Glibc

/// The `--config` option that the commands share.
struct ConfigurationOption: ParsableArguments {
    @Option(name: .long, help: "The configuration file.") var config = "ipnd.yaml"

    /// Reads the file; every mistake goes to standard error, and the exit status is 78 (EX_CONFIG).
    func load() throws -> Configuration {
        do {
            return try Configuration.load(file: config)
        } catch {
            StandardError.print("\(error)")
            throw ExitCode(EX_CONFIG)
        }
    }
}
