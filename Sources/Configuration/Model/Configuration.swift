import HTTP
import HTTPServer
import Platform
import Providers

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
    package var journal: JournalConfiguration
    /// At least one; names and paths are unique.
    package var endpoints: [EndpointConfiguration]
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
    package var log: LogConfiguration
    /// What somebody should know though it can run, in the order of the file.
    package var warnings: [Finding]

    /// The endpoint of this name.
    package func endpoint(named name: String) -> EndpointConfiguration? {
        endpoints.first { $0.name == name }
    }

    /// The settings of the server for notifications.
    package var serverSettings: ServerSettings {
        ServerSettings(listeners: listeners.map(\.settings), limits: limits, loops: loops)
    }
}
