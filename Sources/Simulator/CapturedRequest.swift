import Bytes
import RawClient
import Records

/// A request that somebody captured, taken apart: header order, spelling and body as they were.
package struct CapturedRequest: Sendable, Equatable {
    package var method: String
    /// The request target, query included.
    package var target: ArraySlice<UInt8>
    package var headers: [Header]
    package var body: [UInt8]

    package init(
        method: String, target: ArraySlice<UInt8>, headers: [Header], body: [UInt8]
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    package init(_ request: RecordedRequest) {
        self.init(
            method: request.method, target: request.target, headers: request.headers,
            body: request.body)
    }

    /// Takes a raw request apart: a request line, header lines, an empty line, and the rest is the
    /// body. Lines may end with LF alone, as an editor leaves them. Nil for anything else.
    ///
    /// A body that is chunked, or shorter or longer than its `Content-Length`, is kept as it
    /// stands.
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

    /// Whether the raw bytes can be sent as they are: RFC 9112 knows no other version.
    static func isHTTP1(raw: [UInt8]) -> Bool {
        var rest = raw[...]
        guard let line = rest.takeLine(), let version = line.split(separator: 0x20).last else {
            return false
        }
        return version.starts(with: "HTTP/1.".utf8)
    }

    /// Tools write `HTTP/2` where a proxy spoke it; what was signed is the same.
    private static let versions = ["HTTP/1.", "HTTP/2", "HTTP/3"]

    /// The path of the target, as it was received.
    package var path: ArraySlice<UInt8> {
        target[..<(target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
    }

    /// What follows the first `?`; nil where there is none.
    package var query: ArraySlice<UInt8>? {
        target.firstIndex(of: UInt8(ascii: "?")).map { target[($0 + 1)...] }
    }

    /// The bytes on the wire: everything as captured but the headers that frame a connection.
    ///
    /// - Parameter target: Another one in place of the captured; nil keeps it.
    package func wireBytes(host: String, target other: String? = nil) -> [UInt8] {
        RequestBytes.encode(
            method: method, target: other.map { Array($0.utf8)[...] } ?? target, host: host,
            headers: headers.map { ($0.name, $0.value) }, body: body)
    }
}

extension ArraySlice<UInt8> {
    /// Takes a line off the front, without its CRLF or LF; nil where no line ends.
    mutating func takeLine() -> ArraySlice<UInt8>? {
        guard let newline = firstIndex(of: 0x0A) else { return nil }
        var line = self[startIndex..<newline]
        if line.last == 0x0D { line = line.dropLast() }
        self = self[(newline + 1)...]
        return line
    }
}
