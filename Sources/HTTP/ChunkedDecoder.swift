/// Decodes the chunked coding of a body (RFC 9112 §7.1), however its bytes are split:
///
///     chunked-body = *chunk last-chunk trailer-section CRLF
///     chunk        = chunk-size [ chunk-ext ] CRLF chunk-data CRLF
///     chunk-ext    = *( ";" chunk-ext-name [ "=" chunk-ext-val ] )
///
/// The white space that §7.1.1 tolerates around `;` and `=` is refused. Extensions are checked and
/// ignored, trailer fields are checked and dropped (§7.1.2 allows both).
struct ChunkedDecoder: Sendable {
    private enum State: Sendable {
        case line, lineFeed, data, dataCarriageReturn, dataLineFeed, trailer, complete
    }

    private let limits: Limits
    private var state = State.line
    private var line = ChunkLineScanner()
    private var dataRemaining = 0
    private var overheadBytes = 0
    private var trailer: TrailerSection?

    init(limits: Limits) {
        self.limits = limits
    }

    /// Whether the empty line after the last chunk was read.
    var isComplete: Bool { state == .complete }

    /// Decodes `bytes` from `start` and appends the data to `body`. Returns the offset where it
    /// stopped: the end of the bytes, or the end of the body.
    mutating func decode(
        _ bytes: Span<UInt8>, from start: Int, into body: inout [UInt8]
    ) throws(HTTPError.Cause) -> Int {
        var index = start
        while index < bytes.count {
            switch state {
            case .line:
                if try scanLine(bytes[index], bodyCount: body.count) { state = .lineFeed }
                index += 1
            case .lineFeed:
                guard bytes[index] == ByteClass.lineFeed else { throw .chunkLineEndInvalid }
                index += 1
                dataRemaining = line.size
                state = dataRemaining > 0 ? .data : .trailer
            case .data:
                let count = min(dataRemaining, bytes.count - index)
                body.append(bytes.extracting(index..<(index + count)))
                dataRemaining -= count
                index += count
                if dataRemaining == 0 { state = .dataCarriageReturn }
            case .dataCarriageReturn:
                guard bytes[index] == ByteClass.carriageReturn else { throw .chunkDataEndInvalid }
                index += 1
                state = .dataLineFeed
            case .dataLineFeed:
                guard bytes[index] == ByteClass.lineFeed else { throw .chunkDataEndInvalid }
                index += 1
                line = ChunkLineScanner()
                state = .line
            case .trailer:
                index = try readTrailer(bytes, from: index)
            case .complete:
                return index
            }
        }
        return index
    }

    /// Scans one byte of a size line. Returns whether it was the CR that ends the line.
    private mutating func scanLine(
        _ byte: UInt8, bodyCount: Int
    ) throws(HTTPError.Cause) -> Bool {
        let ended = try line.scan(byte, sizeMax: limits.bodyBytesMax - bodyCount)
        guard !ended else { return true }
        guard line.byteCount <= limits.chunkLineBytesMax else { throw .chunkLineTooLong }
        // §7.1.1: the total size of extensions should be limited, because a body could otherwise be
        // a slow endless stream.
        if line.lastWasOverhead {
            overheadBytes += 1
            guard overheadBytes <= limits.chunkOverheadBytesMax else {
                throw .chunkOverheadTooLarge
            }
        }
        return false
    }

    private mutating func readTrailer(
        _ bytes: Span<UInt8>, from start: Int
    ) throws(HTTPError.Cause) -> Int {
        var section = trailer.take() ?? TrailerSection(limits: limits)
        let end = try section.read(bytes, from: start)
        if section.isComplete { state = .complete } else { trailer = section }
        return end
    }
}

/// Reads the trailer section after the last chunk (RFC 9112 §7.1.2) and drops it: a field after the
/// content must not change the meaning of the head.
struct TrailerSection: Sendable {
    private var bytes: [UInt8] = []
    private var scanner: FieldSectionScanner
    /// Whether the empty line that ends the section was read.
    private(set) var isComplete = false

    init(limits: Limits) {
        scanner = FieldSectionScanner(
            start: 0, bound: limits.trailerBytesMax, fieldCountMax: limits.fieldCountMax)
    }

    /// Reads from `start`; returns the offset where it stopped.
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

    /// Refuses fields that frame, route, authenticate or describe the content (RFC 9110 §6.5.1).
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
