import Testing

@testable import HTTP

/// The framing of bodies of unknown length.
@Suite struct StreamedResponseTests {
    private static func head(_ version: Version, close: Bool) -> String {
        var response = Response(status: 200, fields: [("Content-Type", "text/csv")])
        response.stream = { _ in }
        var output: [UInt8] = []
        ResponseEncoder.encode(
            response, omitBody: false, close: close, date: [], version: version, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `a client of HTTP/1.1 gets chunks`() {
        #expect(
            Self.head(.http11, close: false)
                == "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
    }

    /// RFC 9112 §6.1: a server must not send chunks to a client that does not support them.
    @Test func `a client of HTTP/1.0 gets the end of the connection`() {
        #expect(
            Self.head(.http10, close: true)
                == "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nConnection: close\r\n\r\n")
    }

    @Test func `a chunk is its size in hex and its bytes`() {
        var output: [UInt8] = []
        ResponseEncoder.encode(chunk: [UInt8](repeating: 0x61, count: 26), into: &output)
        ResponseEncoder.encode(chunk: [], into: &output)
        output += ResponseEncoder.lastChunk
        let text = String(decoding: output, as: UTF8.self)
        #expect(text == "1a\r\n\(String(repeating: "a", count: 26))\r\n0\r\n\r\n")
    }
}
