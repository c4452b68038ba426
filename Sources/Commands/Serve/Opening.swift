import ArgumentParser
import Console
import Glibc
import HTTPServer
import Logging
import Platform
import Receiver
import Sealing
import ServerConfiguration
import SystemPackage

/// The steps of a start. Each throws an exit status after printing the reason.
enum Opening {
    /// Distributes the file descriptors. Warns if they do not suffice for `connectionsMax`.
    static func budget(
        _ configuration: Configuration, _ logger: Logger
    ) throws -> DescriptorBudget {
        let descriptorsMax = DescriptorLimit.raise()
        guard let budget = DescriptorBudget(configuration, descriptorsMax: descriptorsMax) else {
            StandardError.print(
                "ipnd: the process may open only \(descriptorsMax) files, too few for the journal, "
                    + "the index and connections: raise the hard limit (LimitNOFILE= in the unit, "
                    + "`ulimit -n`)")
            throw ExitCode(EX_CONFIG)
        }
        if budget.connectionsMax < configuration.limits.connectionsMax {
            logger.warning(
                """
                at most \(budget.connectionsMax) connections instead of connectionsMax \
                \(configuration.limits.connectionsMax), and \(budget.adminConnectionsMax) to the \
                admin listener: the process may open \(descriptorsMax) files. Raise the hard limit \
                (LimitNOFILE= in the unit, `ulimit -n`)
                """)
        }
        return budget
    }

    /// Opens the configured journal or database.
    static func storage(
        _ configuration: Configuration, _ logger: Logger, acceptsNew: Bool,
        in environment: ServiceEnvironment, clock: any Clock
    ) throws -> any StorageModule {
        switch configuration.storage {
        case .journal(let journal):
            try JournalModule(
                configuration, journal, logger, acceptsNew: acceptsNew, in: environment,
                clock: clock)
        case .database(let database):
            try DatabaseModule(configuration, database, logger, in: environment, clock: clock)
        }
    }

    /// Opens the rejection log. If that fails, ipnd serves without it.
    static func rejections(
        _ configuration: Configuration, _ logger: Logger
    ) -> RejectionLog {
        let directory = configuration.rejections.directory
        let log = RejectionLog(
            directory: directory, bounds: RejectionLog.Bounds(configuration.rejections),
            seal: .rejections(configuration.personal.masterKeys))
        if let error = log.openingError {
            logger.warning("the rejection log is off: cannot open \(directory): \(error)")
        }
        return log
    }

    /// The sockets passed by systemd. Warns about one that the configuration does not name, whose
    /// connections are never accepted.
    static func inheritedSockets(
        of supervisor: ServiceSupervisor, for configuration: Configuration, _ logger: Logger
    ) throws -> [SocketAddress: ListeningSocket] {
        do throws(Errno) {
            let sockets = try supervisor.inheritedSockets()
            let wanted =
                configuration.listeners.map(\.address)
                + [configuration.admin?.address, configuration.outcome?.listener.address]
                .compactMap(\.self)
            for address in sockets.keys where !wanted.contains(address) {
                logger.warning(
                    "systemd passed a socket for \(address), which is not a configured listener")
            }
            return sockets
        } catch {
            StandardError.print("ipnd: a socket that systemd passed cannot be used: \(error)")
            throw ExitCode(EX_CONFIG)
        }
    }

    /// Binds the listeners, without accepting connections yet.
    static func server(
        _ settings: ServerSettings, handler: any RequestHandler,
        inherited: [SocketAddress: ListeningSocket], onRoundEnd: (@Sendable () -> Void)? = nil
    ) throws -> HTTPServer {
        do throws(HTTPServer.ListenError) {
            return try HTTPServer(
                settings, handler: handler, inherited: inherited, acceptsAtOnce: false,
                onRoundEnd: onRoundEnd)
        } catch {
            let holder =
                error.error == .addressInUse ? ProcessSearch.listening(on: error.address) : nil
            StandardError.print(
                "ipnd: cannot listen on \(error.address): \(error.error)"
                    + (holder.map { ", by \($0)" } ?? ""))
            // An address in use or not yet assigned may be available at the next start.
            let mayPass = [.addressInUse, .addressNotAvailable].contains(error.error)
            throw ExitCode(mayPass ? EX_OSERR : EX_CONFIG)
        }
    }
}
