import Foundation
import Payments
import Platform
import Providers
import ServerConfiguration
import Simulator
import TestSupport
import Testing

/// A folder as `ipnd init` creates it, with every provider, created once for all tests.
enum Sandbox {
    private static let folder = TemporaryFolder()

    /// The time of all events.
    static let time = Timestamp(microseconds: 1_795_244_400_000_000)

    static let configuration: Configuration = {
        do {
            guard let listen = SocketAddress("127.0.0.1:8080"),
                let admin = SocketAddress("127.0.0.1:9090")
            else { throw POSIXError(.EINVAL) }
            let made = try SandboxFolder.create(at: folder.path, listen: listen, admin: admin)
            return try Configuration.load(file: made.configuration)
        } catch {
            fatalError("no sandbox: \(error)")
        }
    }()

    /// The names of the providers; each has one endpoint.
    static let systems = ProviderCatalog.shipped.names.sorted()

    /// The sender of a provider.
    static func trial(_ system: String) throws -> SimulationSender {
        try SimulationSender(configuration, endpoint: endpoint(system).name)
    }

    /// The private key with which a provider signs.
    static func senderKey(_ system: String) throws -> String {
        try String(
            contentsOfFile: "\(configuration.folder)/sandbox/\(endpoint(system).name).pem",
            encoding: .utf8)
    }

    /// The endpoint of a provider.
    static func endpoint(_ system: String) throws -> EndpointConfiguration {
        try #require(configuration.endpoints.first { $0.system == system })
    }
}
