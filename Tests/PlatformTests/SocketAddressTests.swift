import Glibc
import Testing

@testable import Platform

@Suite struct SocketAddressTests {
    @Test(arguments: [
        "127.0.0.1:8080", "0.0.0.0:0", "255.255.255.255:65535", "[::1]:443", "[2001:db8::2]:1",
        "unix:/run/ipnd.sock",
    ])
    func `what is written is what is read`(_ text: String) throws {
        #expect(try #require(SocketAddress(text)).description == text)
    }

    @Test(arguments: [
        "", "8080", "localhost:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
        "127.0.0.1:+80", "127.0.0.1:8 0", "127.0.0.1:٨٠", "127.1:80", "0127.0.0.1:80", "::1:80",
        "[::1]", "[127.0.0.1]:80", "[::1%eth0]:80", "[::1:80", "unix:", "unix:relative",
        "unix:/" + String(repeating: "a", count: 107), "127.0.0.1\u{0}:80",
    ])
    func `everything else is refused`(_ text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test func `a unix path may fill the kernel's field`() {
        #expect(SocketAddress("unix:/" + String(repeating: "a", count: 106)) != nil)
    }

    @Test(arguments: ["10.0.0.1:80", "[fe80::1]:99", "unix:/tmp/x"])
    func `the kernel's form is read back`(_ text: String) throws {
        let address = try #require(SocketAddress(text))
        var storage = sockaddr_storage()
        address.withSockaddr { pointer, length in
            withUnsafeMutableBytes(of: &storage) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: Int(length)))
            }
        }
        #expect(SocketAddress(storage) == address)
    }
}
