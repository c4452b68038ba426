import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Platform

@Suite struct ListeningSocketTests {
    /// `TCP_NOTSENT_LOWAT` of `<linux/tcp.h>`, which Foundation's Glibc does not show.
    private let tcpNotSentLowWater: Int32 = 25
    private let loopback = SocketAddress("127.0.0.1:0")!

    private func connect(to address: SocketAddress) -> Int32 {
        let client = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
        #expect(address.withSockaddr { Glibc.connect(client, $0, $1) } == 0)
        return client
    }

    private func option(_ level: Int32, _ name: Int32, of descriptor: Int32) -> Int32 {
        var value: Int32 = -1
        var length = socklen_t(4)
        getsockopt(descriptor, level, name, &value, &length)
        return value
    }

    @Test func `port 0 is told as the kernel chose it`() throws {
        let socket = try ListeningSocket(loopback)
        defer { close(socket.descriptor) }
        guard case .ip(_, let port) = socket.address else { return #expect(Bool(false)) }
        #expect(port > 0)
    }

    @Test func `accepts whoever waits and then nobody`() throws {
        let socket = try ListeningSocket(loopback)
        defer { close(socket.descriptor) }
        #expect(try socket.accept() == nil)
        let client = connect(to: socket.address)
        defer { close(client) }
        let accepted = try #require(try socket.accept())
        defer { close(accepted.descriptor) }
        #expect(accepted.peer.description.hasPrefix("127.0.0.1:"))
        #expect(fcntl(accepted.descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(accepted.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(option(Int32(IPPROTO_TCP), TCP_NODELAY, of: accepted.descriptor) != 0)
        #expect(try socket.accept() == nil)
    }

    @Test func `accepted connections inherit the bound on unsent bytes`() throws {
        let socket = try ListeningSocket(loopback)
        defer { close(socket.descriptor) }
        socket.limitUnsent(bytes: 65_536)
        let client = connect(to: socket.address)
        defer { close(client) }
        let accepted = try #require(try socket.accept())
        defer { close(accepted.descriptor) }
        #expect(
            option(Int32(IPPROTO_TCP), tcpNotSentLowWater, of: accepted.descriptor)
                == 65_536)
    }

    /// Segments of loopback's own size made readers wait for up to two minutes after a pause: the
    /// window that they opened was smaller than one segment. Checked on both ends, as a connection
    /// agreed on it.
    @Test func `segments are no larger than on ethernet`() throws {
        let bound = try ListeningSocket(loopback)
        defer { close(bound.descriptor) }
        let inherited = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(inherited) }
        #expect(loopback.withSockaddr { bind(inherited, $0, $1) } == 0)
        #expect(listen(inherited, 1) == 0)
        for listener in [bound, try ListeningSocket(inherited: inherited)] {
            let client = connect(to: listener.address)
            defer { close(client) }
            let accepted = try #require(try listener.accept())
            defer { close(accepted.descriptor) }
            for end in [client, accepted.descriptor] {
                #expect((500...1460).contains(option(Int32(IPPROTO_TCP), TCP_MAXSEG, of: end)))
            }
        }
    }

    @Test func `a taken port is an error`() throws {
        let socket = try ListeningSocket(loopback)
        defer { close(socket.descriptor) }
        #expect(throws: Errno.addressInUse) { try ListeningSocket(socket.address) }
        #expect(throws: Errno.addressInUse) {
            try ListeningSocket.group(socket.address, count: 2)
        }
    }

    /// With `SO_REUSEPORT` alone a second server would silently take half of the connections.
    @Test func `a group's port is taken for others`() throws {
        let group = try ListeningSocket.group(loopback, count: 3)
        defer { for socket in group { close(socket.descriptor) } }
        #expect(group.count == 3)
        #expect(Set(group.map(\.address)).count == 1)
        #expect(throws: Errno.addressInUse) {
            try ListeningSocket.group(group[0].address, count: 3)
        }
    }

    @Test func `a dead unix socket is replaced and a live one is not`() throws {
        let folder = TemporaryFolder()
        let path = folder.file("it.sock")
        let address = SocketAddress.unix(path: path)
        let first = try ListeningSocket(address)
        #expect(throws: Errno.addressInUse) { try ListeningSocket(address) }
        close(first.descriptor)
        let second = try ListeningSocket(address)
        let client = connect(to: address)
        #expect(try second.accept()?.peer == .unix(path: ""))
        close(client)
        close(second.descriptor)
    }

    /// The permissions are independent of the umask, in both directions.
    @Test(arguments: [0o660, 0o600, 0o666])
    func `a unix socket has the permissions that were asked for`(_ mode: CInterop.Mode) throws {
        let folder = TemporaryFolder()
        let path = folder.file("it.sock")
        let socket = try ListeningSocket(
            .unix(path: path), permissions: FilePermissions(rawValue: mode))
        defer { close(socket.descriptor) }
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o7777 == mode)
    }

    @Test func `a file that is no socket is left alone`() throws {
        let folder = TemporaryFolder()
        let path = folder.file("it.txt")
        try Data("mine".utf8).write(to: URL(filePath: path))
        #expect(throws: Errno.addressInUse) { try ListeningSocket(.unix(path: path)) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test func `an inherited socket is taken over`() throws {
        let bound = try ListeningSocket(loopback)
        defer { close(bound.descriptor) }
        _ = fcntl(bound.descriptor, F_SETFL, fcntl(bound.descriptor, F_GETFL) & ~O_NONBLOCK)
        let inherited = try ListeningSocket(inherited: bound.descriptor)
        #expect(inherited.address == bound.address)
        #expect(try inherited.accept() == nil, "it must not block")
        #expect(throws: Errno.self) { try ListeningSocket(inherited: 9999) }
    }
}
