/// Reads the trailer section behind the last chunk (RFC 9112 §7.1.2) and drops it: nothing that
/// comes after the content may change what the head said.
struct TrailerSection: Sendable {
    private var bytes: [UInt8] = []
    private var scanner: FieldSectionScanner
    /// Whether the empty line that ends the section was read.
    private(set) var isComplete = false

    init(limits: Limits) {
        scanner = FieldSectionScanner(
            start: 0, bound: limits.trailerBytesMax, fieldCountMax: limits.fieldCountMax)
    }

    /// Reads from `start` on; returns the position where it stopped.
    mutating func read(
        _ input: Span<UInt8>, from start: Int
    ) throws(HTTPError.Cause) -> Int {
        var index = start
        while index < input.count, !isComplete {
            let count = min(input.count - index, RequestParser.windowBytes)
            let before = bytes.count
            bytes.append(input.extracting(index..<(index + count)))
            isComplete = try scanner.scan(bytes, tooLarge: .trailerTooLarge)
            index += isComplete ? scanner.position - before : count
        }
        if isComplete { try checkNames() }
        return index
    }

    /// RFC 9110 §6.5.1: no trailer may frame, route, authenticate or describe the content.
    private func checkNames() throws(HTTPError.Cause) {
        for field in scanner.fields {
            let name = bytes.span.extracting(field.name)
            for forbidden in Self.forbidden where name.matches(lowercased: forbidden) {
                throw .trailerForbidden
            }
        }
    }

    private static let forbidden: [StaticString] = [
        "content-length", "transfer-encoding", "host", "authorization", "proxy-authorization",
        "connection", "keep-alive", "te", "trailer", "upgrade", "expect", "max-forwards",
        "content-type", "content-encoding", "content-range", "cookie", "forwarded",
        "x-forwarded-for",
    ]
}
