import Foundation
import Platform
import TestSupport
import Testing

@testable import ServerConfiguration

/// A folder as `ipnd init` makes it, made once: creating its keys takes a second.
enum SandboxTemplate {
    /// The address of its listener.
    static let listen = "127.0.0.1:8080"

    private static let parent = TemporaryFolder()
    private static let result = Result {
        try SandboxFolder.create(
            at: parent.file("template"), listen: #require(SocketAddress(listen)),
            admin: #require(SocketAddress("127.0.0.1:9090")))
    }

    /// The folder itself, which no test may change.
    static var folder: SandboxFolder { get throws { try result.get() } }

    /// A copy of the folder.
    ///
    /// - Returns: The path of its configuration.
    static func copy(to path: String) throws -> String {
        try FileManager.default.copyItem(atPath: folder.folder, toPath: path)
        return "\(path)/\(SandboxFolder.configurationName)"
    }
}
