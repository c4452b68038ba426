import Bytes
import RawClient
import Records

/// A captured request, parsed, with the original header order, spelling and body.
package struct CapturedRequest: Sendable, Equatable {
    package var method: String
    /// The request target, query included.
    package var target: ArraySlice<UInt8>
    package var headers: [Header]
    package var body: [UInt8]
    /// The parts that were removed before it was stored; nil if it is as received.
    package var redaction: RedactionMark?

    package init(
        method: String, target: ArraySlice<UInt8>, headers: [Header], body: [UInt8]
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// No request.
    static let none = CapturedRequest(method: "", target: [], headers: [], body: [])

    package init(_ request: RecordedRequest) {
        self.init(
            method: request.method, target: request.target, headers: request.headers,
            body: request.body)
        redaction = request.redaction
    }

    /// Parses a raw request: a request line, header lines, an empty line and the body. Lines may
    /// end with LF alone, as editors write them. Nil for anything else.
    ///
    /// The body is kept unchanged, even if it is chunked or differs from `Content-Length`.
    package init?(raw bytes: [UInt8]) {
        var rest = bytes[...]
        guard let first = rest.takeLine() else { return nil }
        let words = first.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3,
            Self.versions.contains(where: { words[2].starts(with: $0.utf8) }),
            let method = String(validating: words[0], as: UTF8.self), !method.isEmpty,
            !words[1].isEmpty
        else { return nil }
        var headers: [Header] = []
        while true {
            guard let line = rest.takeLine() else { return nil }
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
                return nil
            }
            headers.append(
                Header(
                    name: line[..<colon], value: line[(colon + 1)...].trimmingBlanks))
        }
        self.init(method: method, target: words[1], headers: headers, body: Array(rest))
    }

    /// Whether the raw bytes can be sent unchanged: RFC 9112 defines no other version.
    static func isHTTP1(raw: [UInt8]) -> Bool {
        var rest = raw[...]
        guard let line = rest.takeLine(), let version = line.split(separator: 0x20).last else {
            return false
        }
        return version.starts(with: "HTTP/1.".utf8)
    }

    /// Capture tools write `HTTP/2` after a proxy with it; the signed parts are the same.
    private static let versions = ["HTTP/1.", "HTTP/2", "HTTP/3"]

    /// The path of the target as received.
    package var path: ArraySlice<UInt8> {
        target[..<(target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
    }

    /// The part after the first `?`; nil if there is none.
    package var query: ArraySlice<UInt8>? {
        target.firstIndex(of: UInt8(ascii: "?")).map { target[($0 + 1)...] }
    }

    /// The bytes to send: as captured, except for connection headers.
    ///
    /// - Parameter target: The target to send; nil keeps the captured one.
    package func wireBytes(host: String, target other: String? = nil) -> [UInt8] {
        RequestBytes.encode(
            method: method, target: other.map { Array($0.utf8)[...] } ?? target, host: host,
            headers: headers.map { ($0.name, $0.value) }, body: body)
    }
}

extension ArraySlice<UInt8> {
    /// Removes the first line, and returns it without CRLF or LF; nil if no line ends.
    mutating func takeLine() -> ArraySlice<UInt8>? {
        guard let newline = firstIndex(of: 0x0A) else { return nil }
        var line = self[startIndex..<newline]
        if line.last == 0x0D { line = line.dropLast() }
        self = self[(newline + 1)...]
        return line
    }
}
