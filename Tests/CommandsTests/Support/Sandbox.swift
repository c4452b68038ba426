import Foundation
import Platform
import ServerConfiguration
import TestSupport

/// A configuration as `ipnd init` creates it, created once for all tests.
enum Sandbox {
    private static let folder = TemporaryFolder()

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
}
