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

/// Scans a chunk's size line, a byte at a time (RFC 9112 §7.1, §7.1.1).
struct ChunkLineScanner: Sendable {
    private enum State: UInt8 {
        case sizeStart, size, nameStart, name, valueStart, value, quoted, escaped, afterQuoted
    }

    private var state = State.sizeStart
    /// The size read so far.
    private(set) var size = 0
    /// Number of bytes of the line so far.
    private(set) var byteCount = 0
    /// Whether the last byte did not add to the size: a leading zero, or a byte of an extension.
    private(set) var lastWasOverhead = false

    /// Takes one byte. Returns whether it is the CR that ends the line. A size beyond `sizeMax` is
    /// refused at the digit that exceeds it, long before an overflow is possible.
    mutating func scan(_ byte: UInt8, sizeMax: Int) throws(HTTPError.Cause) -> Bool {
        if byte == ByteClass.carriageReturn { return try end() }
        byteCount += 1
        lastWasOverhead = true
        switch state {
        case .sizeStart, .size:
            try scanSize(byte, sizeMax)
        case .valueStart where byte == ByteClass.quote:
            state = .quoted
        case .nameStart, .valueStart:
            try require(ByteSet.token.contains(byte), byte)
            state = state == .nameStart ? .name : .value
        case .name where byte == ByteClass.equals:
            state = .valueStart
        case .name, .value:
            if byte == ByteClass.semicolon {
                state = .nameStart
            } else {
                try require(ByteSet.token.contains(byte), byte)
            }
        case .quoted:
            try scanQuoted(byte)
        case .escaped:
            // `quoted-pair`, RFC 9110 §5.6.4: the same octets as in a field value.
            try require(ByteClass.isFieldContent(byte), byte)
            state = .quoted
        case .afterQuoted:
            try require(byte == ByteClass.semicolon, byte)
            state = .nameStart
        }
        return false
    }

    private mutating func scanSize(_ byte: UInt8, _ sizeMax: Int) throws(HTTPError.Cause) {
        if let digit = ByteClass.hexValue(byte) {
            state = .size
            lastWasOverhead = size == 0 && digit == 0
            size = size << 4 | digit
            guard size <= sizeMax else { throw .bodyTooLarge }
        } else if byte == ByteClass.semicolon, state == .size {
            state = .nameStart
        } else {
            throw byte == ByteClass.lineFeed ? .chunkLineEndInvalid : .chunkSizeInvalid
        }
    }

    private mutating func scanQuoted(_ byte: UInt8) throws(HTTPError.Cause) {
        switch byte {
        case ByteClass.quote: state = .afterQuoted
        case ByteClass.backslash: state = .escaped
        default: try require(byte >= 0x80 || ByteSet.quotedText.contains(byte), byte)
        }
    }

    private func end() throws(HTTPError.Cause) -> Bool {
        switch state {
        case .size, .name, .value, .afterQuoted: return true
        case .sizeStart: throw .chunkSizeInvalid
        case .nameStart, .valueStart, .quoted, .escaped: throw .chunkExtensionInvalid
        }
    }

    private func require(_ valid: Bool, _ byte: UInt8) throws(HTTPError.Cause) {
        // Other servers accept a bare LF that ends an extension as a line end (CVE-2025-55315 and
        // similar).
        guard valid else {
            throw byte == ByteClass.lineFeed ? .chunkLineEndInvalid : .chunkExtensionInvalid
        }
    }
}
