import Glibc
import Platform

/// The header at the start of a proxy's connection that names the client: versions 1 and 2 of the
/// PROXY protocol (haproxy.org, `doc/proxy-protocol.txt`). Sans-I/O.
enum ProxyProtocolHeader: Equatable {
    /// The bytes so far may be the start of a header.
    case needsBytes
    /// A complete header of `length` bytes. `source` is nil if the connection is the proxy's own
    /// (LOCAL, UNKNOWN, e.g. its health checks).
    case header(length: Int, source: SocketAddress?)
    case invalid(Fault)

    /// Why the bytes are not a header; the raw values are reason codes.
    enum Fault: String {
        case missing = "proxy_header_missing"
        case tooLong = "proxy_header_too_long"
        case malformed = "proxy_header_malformed"
        case version = "proxy_header_version"
    }

    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    /// §2.1: a version 1 line has at most 107 bytes with its CRLF.
    private static let lineBytesMax = 107
    /// Enough for the addresses and every published extension; §2.2 allows 64 KiB.
    static let headerBytesMax = 536

    static func parse(_ bytes: ArraySlice<UInt8>) -> ProxyProtocolHeader {
        guard let first = bytes.first else { return .needsBytes }
        return first == UInt8(ascii: "P") ? parseLine(bytes) : parseBinary(bytes)
    }

    // MARK: Version 1

    private static func parseLine(_ bytes: ArraySlice<UInt8>) -> ProxyProtocolHeader {
        let expected = Array("PROXY ".utf8)
        guard zip(bytes, expected).allSatisfy({ $0 == $1 }) else {
            return .invalid(.missing)
        }
        guard let end = bytes.firstIndex(of: 0x0A) else {
            return bytes.count < lineBytesMax ? .needsBytes : .invalid(.tooLong)
        }
        let length = end - bytes.startIndex + 1
        guard length <= lineBytesMax, length >= 2, bytes[end - 1] == 0x0D else {
            return .invalid(.malformed)
        }
        let words = String(decoding: bytes[..<(end - 1)], as: UTF8.self)
            .split(separator: " ", omittingEmptySubsequences: false)
        if words.count >= 2, words[1] == "UNKNOWN" { return .header(length: length, source: nil) }
        guard words.count == 6, let source = address(words[2], family: words[1]),
            address(words[3], family: words[1]) != nil,
            let sourcePort = port(words[4]), port(words[5]) != nil
        else { return .invalid(.malformed) }
        return .header(length: length, source: .ip(source, port: sourcePort))
    }

    private static func address(_ word: Substring, family: Substring) -> IPAddress? {
        switch (family, word.contains(":")) {
        case ("TCP4", false), ("TCP6", true): IPAddress(String(word))
        default: nil
        }
    }

    private static func port(_ word: Substring) -> UInt16? {
        guard word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt16(word)
    }

    // MARK: Version 2

    private static func parseBinary(_ bytes: ArraySlice<UInt8>) -> ProxyProtocolHeader {
        guard zip(bytes, signature).allSatisfy({ $0 == $1 }) else {
            return .invalid(.missing)
        }
        guard bytes.count >= 16 else { return .needsBytes }
        let start = bytes.startIndex
        let length = 16 + Int(bytes[start + 14]) << 8 + Int(bytes[start + 15])
        guard bytes[start + 12] >> 4 == 2 else { return .invalid(.version) }
        guard length <= headerBytesMax else { return .invalid(.tooLong) }
        guard bytes.count >= length else { return .needsBytes }
        let body = Array(bytes[(start + 16)..<(start + length)])
        switch bytes[start + 12] & 0x0F {
        case 0: return .header(length: length, source: nil)
        case 1: return source(family: bytes[start + 13], body: body, length: length)
        default: return .invalid(.malformed)
        }
    }

    private static func source(family: UInt8, body: [UInt8], length: Int) -> ProxyProtocolHeader {
        func port(at index: Int) -> UInt16 { UInt16(body[index]) << 8 | UInt16(body[index + 1]) }
        switch family {
        case 0x11:
            guard body.count >= 12 else { return .invalid(.malformed) }
            return .header(
                length: length, source: .ip(.v4(Array(body[0..<4])), port: port(at: 8)))
        case 0x21:
            guard body.count >= 36 else { return .invalid(.malformed) }
            return .header(
                length: length, source: .ip(IPAddress(v6: Array(body[0..<16])), port: port(at: 32)))
        default:
            // Unix-domain sources and UNSPEC: a valid header without a client address.
            return .header(length: length, source: nil)
        }
    }
}

/// Reads a PROXY protocol header from a socket and not one byte more: what follows may be TLS.
struct ProxyProtocolDecoder {
    enum Step {
        case needsBytes
        case address(SocketAddress?)
        case invalid(ProxyProtocolHeader.Fault)
        case end
    }

    /// Peeks at the available bytes, and consumes the header once it is complete.
    mutating func read(from descriptor: Int32) -> Step {
        var buffer = [UInt8](repeating: 0, count: ProxyProtocolHeader.headerBytesMax)
        let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_PEEK))
        if count == 0 { return .end }
        if count < 0 { return errno == EAGAIN || errno == EINTR ? .needsBytes : .end }
        switch ProxyProtocolHeader.parse(buffer[..<count]) {
        case .needsBytes: return .needsBytes
        case .invalid(let fault): return .invalid(fault)
        case .header(let length, let source):
            // The bytes are in the socket's buffer, so this read returns all of them.
            _ = unsafe recv(descriptor, &buffer, length, 0)
            return .address(source)
        }
    }
}
