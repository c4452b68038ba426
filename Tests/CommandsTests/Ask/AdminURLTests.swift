import Platform
import RawClient
import Testing

@testable import Commands
@testable import ServerConfiguration

@Suite struct AdminURLTests {
    private static func destination(_ address: String) throws -> Destination {
        AdminURL.destination(AdminConfiguration(address: try #require(SocketAddress(address))))
    }

    @Test(arguments: [
        ("127.0.0.1:9090", "127.0.0.1"), ("0.0.0.0:9090", "127.0.0.1"), ("[::]:9090", "::1"),
        ("10.0.0.7:9090", "10.0.0.7"),
    ])
    func `a listener on all addresses is reached on the loopback one`(
        address: String, host: String
    ) throws {
        let destination = try Self.destination(address)
        #expect(destination.place == .host(host, port: 9090))
        #expect(!destination.usesTLS)
    }

    @Test func `a Unix socket is reached by its path`() throws {
        #expect(
            try Self.destination("unix:/run/ipnd/admin.sock").place
                == .unix(path: "/run/ipnd/admin.sock"))
    }

    @Test(arguments: ["http://127.0.0.1:9090", "https://[::1]:9090", "unix:/run/admin.sock"])
    func `a URL without a path is accepted`(text: String) throws {
        #expect(try AdminURL.read(text).target == nil)
    }

    @Test(arguments: ["", "127.0.0.1", "http://127.0.0.1:9090/metrics", "http://user@host:1"])
    func `any other URL is refused`(text: String) {
        #expect(throws: (any Error).self) { try AdminURL.read(text) }
    }
}
