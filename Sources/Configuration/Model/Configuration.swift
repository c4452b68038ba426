import Delivery
import HTTP
import HTTPServer
import Platform
import Providers
import SystemPackage

/// What a configuration file says, with everything resolved: secrets loaded, certificates parsed,
/// paths absolute. Made by ``load(file:environment:)``; a value of it can be run.
package struct Configuration: Sendable {
    /// The file as it was named.
    package var file: String
    /// The file's absolute folder.
    package var folder: String
    /// At least one.
    package var listeners: [ListenerConfiguration]
    package var admin: AdminConfiguration?
    /// Where notifications are kept: in a journal of this machine's or in a database.
    package var storage: StorageConfiguration
    /// At least one; names and paths are unique.
    package var endpoints: [EndpointConfiguration]
    /// The merchant's systems that receive events; names are unique.
    package var destinations: [DestinationConfiguration]
    /// The bounds of telling them.
    package var delivery: DeliveryLimits
    /// The server's own limits.
    package var limits: Limits
    /// The limits of the queue before the journal; they stand under `limits` too.
    package var queue: QueueLimits
    /// What a delivery may cost before its signature is known to be right; under `limits`, too.
    package var verification: VerificationLimits
    /// Event loops: as configured, or one for each CPU that the process may use.
    package var loops: Int
    /// Seconds between a failing `readyz` and the closing of the listeners.
    package var drainDelaySeconds: Int
    /// The absolute path of the directory of the index of orders. It may be deleted at any time.
    package var indexDirectory: String
    package var rejections: RejectionsConfiguration
    /// What providers keep between requests.
    package var memory: ProviderMemory
    /// Where that outlives the process.
    package var memoryFiles: ProviderMemoryFiles
    package var log: LogConfiguration
    /// Warnings about a configuration that can run, in the order of the file.
    package var warnings: [Finding]

    /// The journal; nil where a database is in its place.
    package var journal: JournalConfiguration? {
        if case .journal(let journal) = storage { return journal }
        return nil
    }

    /// The database; nil where a journal is in its place.
    package var database: DatabaseConfiguration? {
        if case .database(let database) = storage { return database }
        return nil
    }

    /// Whether an endpoint verifies by certificates that its provider publishes.
    package var verifiesByCertificates: Bool {
        endpoints.contains { ProviderRegistry.all[$0.system]?.credential == .certificate }
    }

    /// The endpoint of this name.
    package func endpoint(named name: String) -> EndpointConfiguration? {
        endpoints.first { $0.name == name }
    }

    /// The settings of the server for notifications.
    package var serverSettings: ServerSettings {
        ServerSettings(listeners: listeners.map(\.settings), limits: limits, loops: loops)
    }
}

/// The listener for the merchant's own systems and people.
package struct AdminConfiguration: Sendable {
    package var address: SocketAddress
    /// The Bearer token; nil only on loopback or a Unix-domain socket, where it may be left out.
    package var token: [UInt8]?
    /// The Bearer token of those who see and do not act; nil where there is none.
    package var viewerToken: [UInt8]?
    package var tls: TLSConfiguration?
    /// Of a Unix-domain socket's file; nil leaves it to the umask.
    package var permissions: FilePermissions?
    /// Names that `Host` may have where there is no token, beside addresses and `localhost`.
    package var hosts: [String] = []
    /// How long a list of orders waits for what was recorded before it was asked for.
    package var listWaitMillisecondsMax = listWaitMillisecondsDefault

    package static let listWaitMillisecondsDefault = 1000

    /// The same for the server.
    package var settings: ListenerSettings {
        ListenerSettings(address: address, tls: tls?.context, permissions: permissions)
    }
}

/// How the log on standard error looks.
package struct LogConfiguration: Sendable, Equatable {
    /// swift-log's levels.
    package enum Level: String, Sendable, CaseIterable {
        case trace, debug, info, notice, warning, error, critical
    }

    package enum Format: String, Sendable, CaseIterable {
        /// For people.
        case text
        /// One JSON object a line.
        case json
    }

    package var level = Level.info
    package var format = Format.text
    /// A refusal that repeats is only counted for so long after its line, and the count is one more
    /// line. 0: each has a line.
    package var repeatSeconds = 60

    package init() {}
}

/// The bounded log of requests that were refused.
package struct RejectionsConfiguration: Sendable, Equatable {
    /// The absolute path of the directory that holds it.
    package var directory: String
    /// Entries kept; the oldest go first.
    package var countMax = 10_000
    /// Bytes kept.
    package var bytesMax = 64 << 20
    /// Entries written in one second; more are only counted, so that a flood costs no disk.
    package var perSecondMax = 20
    /// Bytes of a body at an unknown path that are read to find out whether it is a notification,
    /// which is then kept. 0: headers alone tell.
    package var inspectedBytesMax = 65_536

    package init(directory: String) { self.directory = directory }
}
