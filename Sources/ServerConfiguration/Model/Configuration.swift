import Delivery
import HTTP
import HTTPServer
import Platform
import Providers
import SystemPackage

/// A decoded configuration with everything resolved: secrets loaded, certificates parsed, paths
/// absolute. ``load(file:environment:)`` makes it; a server can run with it.
package struct Configuration: Sendable {
    /// The path of the file as the caller gave it.
    package var file: String
    /// The file's absolute folder.
    package var folder: String
    /// The listeners for notifications; at least one.
    package var listeners: [ListenerConfiguration]
    package var admin: AdminConfiguration?
    /// The listener for shoppers' apps; nil without one.
    package var outcome: OutcomeConfiguration?
    /// The storage of notifications: a journal on this machine or a database.
    package var storage: StorageConfiguration
    /// The endpoints; at least one. Names and paths are unique.
    package var endpoints: [EndpointConfiguration]
    /// The providers that can be named in it, those of the recipes beside it too.
    package var providers: ProviderCatalog
    /// The merchant's systems that receive events; names are unique.
    package var destinations: [DestinationConfiguration]
    /// The limits of delivery to the destinations.
    package var delivery: DeliveryLimits
    /// The server's own limits.
    package var limits: Limits
    /// The limits of the queue before the journal; in the file they are under `limits` too.
    package var queue: QueueLimits
    /// The limits on the work of verifying a request; in the file they are under `limits` too.
    package var verification: VerificationLimits
    /// Number of event loops: as configured, or one for each CPU that the process may use.
    package var loops: Int
    /// Seconds between the first failing `readyz` and the closing of the listeners.
    package var drainDelaySeconds: Int
    /// The absolute path of the order index's directory, which may be deleted at any time.
    package var indexDirectory: String
    package var rejections: RejectionsConfiguration
    package var audit: AuditConfiguration
    /// The absolute path of the directory of figures that survive restarts.
    package var figuresDirectory: String
    package var alerts: AlertsConfiguration?
    /// The collector of traces and metrics; nil without one.
    package var telemetry: TelemetryConfiguration?
    package var personal: PersonalConfiguration
    /// The memory of providers between requests.
    package var memory: ProviderMemory
    /// Where that outlives the process.
    package var memoryFiles: ProviderMemoryFiles
    package var log: LogConfiguration
    /// Why it is taken to receive real notifications; nil where it may be a sandbox.
    package var liveReason: String?
    /// Warnings about a configuration that can run, in the order of the file.
    package var warnings: [Finding]

    /// The journal; nil when a database is used instead.
    package var journal: JournalConfiguration? {
        if case .journal(let journal) = storage { return journal }
        return nil
    }

    /// The database; nil when a journal is used instead.
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

/// The listener of the admin API, for the merchant's own systems and people.
package struct AdminConfiguration: Sendable {
    package var address: SocketAddress
    /// The Bearer token. It may be nil only on loopback or a Unix-domain socket.
    package var token: [UInt8]?
    /// The Bearer token of viewers, who may not act; nil for none.
    package var viewerToken: [UInt8]?
    /// People with a role and a token of their own.
    package var people: [Person] = []
    /// The header in which a proxy names the person; nil where none does.
    package var identity: Identity?
    /// The reverse proxies whose word about the client's address is believed.
    package var proxy = ProxySettings()
    package var tls: TLSConfiguration?
    /// The mode of a Unix-domain socket's file; nil leaves it to the umask.
    package var permissions: FilePermissions?
    /// Names that `Host` may have, besides addresses and `localhost`, where there is no token.
    package var hosts: [String] = []
    /// Milliseconds that a list of orders waits for records that were written before the request.
    package var listWaitMillisecondsMax = listWaitMillisecondsDefault

    package static let listWaitMillisecondsDefault = 1000

    package enum Role: String, Sendable, CaseIterable {
        case admin, `operator`, viewer
    }

    package struct Person: Sendable, Equatable {
        package var name: String
        package var role: Role
        /// Nil for a person whom only a proxy authenticates.
        package var token: [UInt8]?
    }

    package struct Identity: Sendable, Equatable {
        package var header: String
        package var trusted: [IPNetwork]
        /// The role of names that `people` does not list; nil refuses them.
        package var role: Role?
    }

    /// The settings in the server's form.
    package var settings: ListenerSettings {
        ListenerSettings(
            address: address, tls: tls?.context, proxy: proxy, permissions: permissions)
    }
}

/// The level and form of the log on standard error.
package struct LogConfiguration: Sendable, Equatable {
    /// swift-log's levels.
    package enum Level: String, Sendable, CaseIterable {
        case trace, debug, info, notice, warning, error, critical
    }

    package enum Format: String, Sendable, CaseIterable {
        /// Lines for people.
        case text
        /// One JSON object per line.
        case json
    }

    package var level = Level.info
    package var format = Format.text
    /// Seconds during which a repeated refusal is only counted after its first log line; the count
    /// is then logged in one more line. 0 logs each refusal.
    package var repeatSeconds = 60

    package init() {}
}

/// The trail of acts and of looks at personal data.
package struct AuditConfiguration: Sendable, Equatable {
    /// The absolute path of its directory.
    package var directory: String
    /// Days for which an entry is kept at least, unless `bytesMax` is reached.
    package var retainDays = 400
    /// Largest size on disk.
    package var bytesMax = 512 << 20
}

/// The bounded log of requests that were refused.
package struct RejectionsConfiguration: Sendable, Equatable {
    /// The absolute path of its directory.
    package var directory: String
    /// Maximum number of entries; the oldest are removed first.
    package var countMax = 10_000
    /// Maximum number of bytes.
    package var bytesMax = 64 << 20
    /// Maximum number of entries written in one second; more are only counted, so that a flood
    /// costs no disk.
    package var perSecondMax = 20
    /// Bytes of a body at an unknown path that are read to find out whether it is a notification,
    /// which is then kept. 0 uses the headers alone.
    package var inspectedBytesMax = 65_536

    package init(directory: String) { self.directory = directory }
}
