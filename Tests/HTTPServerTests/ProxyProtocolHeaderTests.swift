import Platform
import Testing

@testable import HTTPServer

@Suite struct ProxyProtocolHeaderTests {
    static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]

    private func parse(_ text: String) -> ProxyProtocolHeader {
        ProxyProtocolHeader.parse(Array(text.utf8)[...])
    }

    @Test(arguments: [
        ("PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n", "203.0.113.7:4711"),
        ("PROXY TCP6 2001:db8::7 2001:db8::1 4711 443\r\n", "[2001:db8::7]:4711"),
        ("PROXY UNKNOWN\r\n", nil),
        ("PROXY UNKNOWN ffff:: ffff:: 1 2\r\n", nil),
    ])
    func `lines name the source`(_ line: String, _ source: String?) {
        let expected = ProxyProtocolHeader.header(
            length: line.utf8.count, source: source.flatMap(SocketAddress.init))
        #expect(parse(line) == expected)
        #expect(parse(line + "GET / HTTP/1.1\r\n") == expected, "and leaves what follows")
        let bytes = Array(line.utf8)
        for count in 0..<bytes.count {
            #expect(ProxyProtocolHeader.parse(bytes[..<count]) == .needsBytes)
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n", "proxy_header_missing"),
        ("PUT /", "proxy_header_missing"), ("PROXX TCP4", "proxy_header_missing"),
        ("PROXY TCP4 203.0.113.7 192.0.2.1 4711\r\n", "proxy_header_malformed"),
        ("PROXY TCP4 203.0.113.7 192.0.2.1 4711 443 9\r\n", "proxy_header_malformed"),
        ("PROXY  TCP4 203.0.113.7 192.0.2.1 4711 443\r\n", "proxy_header_malformed"),
        ("PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\n", "proxy_header_malformed"),
        ("PROXY TCP4 203.0.113.7 192.0.2.1 4711 65536\r\n", "proxy_header_malformed"),
        ("PROXY TCP4 203.0.113.7 192.0.2.1 +1 443\r\n", "proxy_header_malformed"),
        ("PROXY TCP4 203.0.113.777 192.0.2.1 1 443\r\n", "proxy_header_malformed"),
        ("PROXY TCP4 2001:db8::7 2001:db8::1 1 443\r\n", "proxy_header_malformed"),
        ("PROXY TCP6 203.0.113.7 192.0.2.1 1 443\r\n", "proxy_header_malformed"),
        ("PROXY UDP4 203.0.113.7 192.0.2.1 1 443\r\n", "proxy_header_malformed"),
        ("PROXY \r\n", "proxy_header_malformed"),
        ("PROXY TCP4 " + String(repeating: "1", count: 100), "proxy_header_too_long"),
        ("PROXY UNKNOWN " + String(repeating: "1", count: 100) + "\r\n", "proxy_header_malformed"),
        ("\u{16}\u{3}\u{1}", "proxy_header_missing"), ("\r\n\r\nGET", "proxy_header_missing"),
    ])
    func `everything else is refused`(_ line: String, _ reason: String) throws {
        let fault = try #require(ProxyProtocolHeader.Fault(rawValue: reason))
        #expect(parse(line) == .invalid(fault))
    }

    private func binary(_ command: UInt8, _ family: UInt8, _ body: [UInt8], length: Int? = nil)
        -> [UInt8]
    {
        let length = length ?? body.count
        return Self.signature + [command, family, UInt8(length >> 8), UInt8(length & 255)] + body
    }

    private static let v4: [UInt8] = [203, 0, 113, 7, 192, 0, 2, 1, 0x12, 0x67, 1, 187]

    @Test func `version 2 names the source`() {
        let plain = binary(0x21, 0x11, Self.v4)
        let source = SocketAddress("203.0.113.7:4711")
        #expect(ProxyProtocolHeader.parse(plain[...]) == .header(length: 28, source: source))
        let extended = binary(0x21, 0x11, Self.v4 + [3, 0, 4, 1, 2, 3, 4])
        #expect(ProxyProtocolHeader.parse(extended[...]) == .header(length: 35, source: source))
        for count in 0..<plain.count {
            #expect(ProxyProtocolHeader.parse(plain[..<count]) == .needsBytes)
        }
        let v6 = [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7]
        let wide = binary(0x21, 0x21, v6 + v6 + [0x12, 0x67, 1, 187])
        #expect(
            ProxyProtocolHeader.parse(wide[...])
                == .header(length: 52, source: SocketAddress("[2001:db8::7]:4711")))
    }

    @Test func `version 2 of the proxy itself names nobody`() {
        for (command, family, body) in [
            (0x20, 0x00, []), (0x20, 0x11, Self.v4), (0x21, 0x00, []),
            (0x21, 0x31, [UInt8](repeating: 0, count: 216)),
        ] as [(UInt8, UInt8, [UInt8])] {
            let bytes = binary(command, family, body)
            #expect(
                ProxyProtocolHeader.parse(bytes[...]) == .header(length: bytes.count, source: nil))
        }
    }

    @Test func `version 2 refuses what it cannot mean`() {
        #expect(
            ProxyProtocolHeader.parse(binary(0x11, 0x11, Self.v4)[...])
                == .invalid(.version))
        #expect(
            ProxyProtocolHeader.parse(binary(0x22, 0x11, Self.v4)[...])
                == .invalid(.malformed))
        #expect(
            ProxyProtocolHeader.parse(binary(0x21, 0x11, [1, 2])[...])
                == .invalid(.malformed))
        #expect(
            ProxyProtocolHeader.parse(binary(0x21, 0x21, Self.v4)[...])
                == .invalid(.malformed))
        #expect(
            ProxyProtocolHeader.parse(binary(0x21, 0x11, [], length: 65_535)[...])
                == .invalid(.tooLong))
        var spoilt = binary(0x21, 0x11, Self.v4)
        spoilt[11] = 0
        #expect(ProxyProtocolHeader.parse(spoilt[...]) == .invalid(.missing))
    }
}
