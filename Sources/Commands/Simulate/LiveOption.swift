import ArgumentParser
import Configuration
import Console
import Glibc

/// Keeps commands that play a provider from making payments up in a merchant's record, which
/// cannot be removed from it.
struct LiveOption: ParsableArguments {
    @Flag(help: "Send although the configuration takes real notifications.") var toLive = false

    /// Throws an exit status after printing why `command` sends nothing.
    func check(_ configuration: Configuration, _ command: String) throws {
        guard !toLive, let reason = configuration.liveReason else { return }
        StandardError.print(
            "ipnd \(command): \(configuration.file) takes real notifications (\(reason)): the "
                + "record would have payments that were never made, and your shop would ship; "
                + "use a sandbox (`ipnd init`), or add --to-live")
        throw ExitCode(EX_USAGE)
    }
}
