import Bytes

/// A status line with its fields (RFC 9112 §4, §5).
struct ResponseHead {
    /// The way to find the end of the body (RFC 9112 §6.3).
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked
        case untilClose
    }

    let status: Int
    let fields: [(name: String, value: String)]
    private let minorVersion: UInt8

    /// - Parameter bytes: The head without the final empty line.
    /// - Throws: `malformed`.
    init(_ bytes: ArraySlice<UInt8>) throws(ClientError) {
        var lines = try Self.lines(bytes)
        let first = lines.removeFirst()
        (status, minorVersion) = try Self.statusLine(first)
        var fields: [(String, String)] = []
        for line in lines { fields.append(try Self.field(line)) }
        self.fields = fields
    }

    /// Whether the head allows the connection to stay open.
    var keepsAlive: Bool {
        let options = values("connection").flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        if options.contains("close") { return false }
        return minorVersion == 1 || options.contains("keep-alive")
    }

    func framing(answersHead: Bool) throws(ClientError) -> Framing {
        let lengths = values("content-length")
        let codings = values("transfer-encoding")
        if answersHead || status == 204 || status == 304 { return .none }
        guard codings.isEmpty else {
            // RFC 9112 §6.1: both together may be an attempt at response splitting.
            guard lengths.isEmpty else { throw .malformed("a length and a transfer coding") }
            guard codings.count == 1, codings[0].lowercased() == "chunked" else {
                throw .malformed("a transfer coding other than chunked")
            }
            return .chunked
        }
        guard let length = lengths.first else { return .untilClose }
        let isNumber =
            length.utf8.count <= 15 && !length.isEmpty
            && length.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard lengths.count == 1, isNumber, let count = Int(length) else {
            throw .malformed("a Content-Length that is not one number")
        }
        return .length(count)
    }

    private func values(_ lowercasedName: String) -> [String] {
        fields.filter { $0.name.lowercased() == lowercasedName }.map(\.value)
    }

    private static func lines(_ bytes: ArraySlice<UInt8>) throws(ClientError) -> [ArraySlice<UInt8>]
    {
        var lines: [ArraySlice<UInt8>] = []
        let pieces = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, piece) in pieces.enumerated() {
            let isLast = index == pieces.count - 1
            guard isLast || piece.last == 0x0D else {
                throw .malformed("a line that ends with a bare LF")
            }
            let line = isLast ? piece : piece.dropLast()
            guard !line.contains(0x0D) else { throw .malformed("a CR inside a line") }
            lines.append(line)
        }
        return lines
    }

    private static func statusLine(
        _ line: ArraySlice<UInt8>
    ) throws(ClientError) -> (Int, UInt8) {
        let text = Array(line)
        let digits = text.count >= 12 ? text[9..<12] : []
        guard text.starts(with: "HTTP/1.".utf8), digits.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.count == 3, text[7] == 0x30 || text[7] == 0x31, text[8] == 0x20,
            // Some servers omit the space before an empty reason (RFC 9112 §4).
            text.count == 12 || text[12] == 0x20,
            let status = Int(String(decoding: digits, as: UTF8.self)), (100..<600).contains(status)
        else { throw .malformed("the status line is missing") }
        return (status, text[7] - 0x30)
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(ClientError) -> (String, String) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
            throw .malformed("a header line without a name")
        }
        let name = line[..<colon]
        // White space here would be a folded line, or a name that readers interpret differently
        // (RFC 9112 §5.1, §5.2).
        guard name.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .malformed("a header name with white space or a control character")
        }
        let value = line[(colon + 1)...].trimmingBlanks
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw .malformed("a control character in a header value")
        }
        return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
}

/// An answer as received.
package struct ReceivedResponse: Sendable, Equatable {
    package var status: Int
    /// Fields in the order received: names as received, values without surrounding white space.
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]
    /// Whether the connection may carry another request (RFC 9112 §9.3).
    package var keepsAlive: Bool

    package init(
        status: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        keepsAlive: Bool = true
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.keepsAlive = keepsAlive
    }

    /// The first value of the field `lowercasedName`.
    package func value(_ lowercasedName: String) -> String? {
        fields.first { $0.name.lowercased() == lowercasedName }?.value
    }

    package static func == (left: ReceivedResponse, right: ReceivedResponse) -> Bool {
        left.status == right.status && left.body == right.body
            && left.keepsAlive == right.keepsAlive
            && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }
}
