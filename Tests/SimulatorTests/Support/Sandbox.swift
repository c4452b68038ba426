import Configuration
import Foundation
import Platform
import Providers
import Simulator
import Testing

/// A folder as `ipnd init` makes it, with every system, made once for all tests.
enum Sandbox {
    static let configuration: Configuration = {
        do {
            let template = FileManager.default.temporaryDirectory.path + "/ipnd-trials-XXXXXX"
            var bytes = Array(template.utf8CString)
            guard mkdtemp(&bytes) != nil else { throw POSIXError(.EIO) }
            let folder = String(
                decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard let listen = SocketAddress("127.0.0.1:8080"),
                let admin = SocketAddress("127.0.0.1:9090")
            else { throw POSIXError(.EINVAL) }
            let made = try SandboxFolder.create(at: folder, listen: listen, admin: admin)
            return try Configuration.load(file: made.configuration)
        } catch {
            fatalError("no sandbox: \(error)")
        }
    }()

    /// The names of the systems; each has one endpoint.
    static let systems = ProviderRegistry.all.keys.sorted()

    /// The sender of a system.
    static func trial(_ system: String) throws -> SimulationSender {
        try SimulationSender(configuration, endpoint: endpoint(system).name)
    }

    /// The endpoint of a system.
    static func endpoint(_ system: String) throws -> EndpointConfiguration {
        try #require(configuration.endpoints.first { $0.system == system })
    }
}
