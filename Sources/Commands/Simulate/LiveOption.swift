import ArgumentParser
import Console
import Glibc
import ServerConfiguration
import Simulator

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

    /// Says before sending to a live endpoint whether the payments will look real.
    func warn(_ trial: SimulationSender, _ command: String) {
        guard trial.liveReason != nil else { return }
        StandardError.print(
            trial.isTest
                ? "ipnd \(command): \(trial.endpoint.name): marked as tests: in live mode they are "
                    + "recorded, and no order changes"
                : "ipnd \(command): warning: \(trial.endpoint.name): "
                    + "\(trial.descriptor.title) has no mark for tests: the record will have "
                    + "payments that were never made")
    }
}
