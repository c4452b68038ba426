/// Finds the parts of a request line, byte by byte where they arrive so, and refuses at the first
/// byte that no request line can have (RFC 9112 §3):
///
///     request-line = method SP request-target SP HTTP-version CRLF
///
/// The buffer holds everything since the request began; a call goes on where the last one stopped.
struct RequestLineScanner: Sendable {
    private enum State: UInt8 {
        case start, leadingLineFeed, afterLeadingLine, method, target, version, lineFeed, complete
    }

    private let lineBytesMax: Int
    private var state = State.start
    /// The next byte to look at.
    private(set) var position = 0
    /// Where the line begins: 2 after a leading CRLF, else 0.
    private(set) var lineStart = 0
    private(set) var method: Range<Int>?
    private(set) var target = 0..<0
    private var versionStart = 0

    /// The line may have this many bytes without its CRLF.
    init(lineBytesMax: Int) {
        self.lineBytesMax = lineBytesMax
    }

    /// Whether a byte of the line itself was seen. An empty line before it does not count: old
    /// clients send one after a body, and then may stay silent as long as any idle connection.
    var hasBegun: Bool { state.rawValue >= State.method.rawValue }

    /// The digits of the version, once the line is complete: (1, 1) for HTTP/1.1.
    func version(in buffer: Span<UInt8>) -> (major: UInt8, minor: UInt8) {
        (buffer[versionStart + 5] &- 0x30, buffer[versionStart + 7] &- 0x30)
    }

    /// Scans what is new in the buffer. Returns whether the line is complete; `position` is then
    /// behind its CRLF.
    mutating func scan(_ bytes: [UInt8]) throws(HTTPError.Cause) -> Bool {
        let buffer = bytes.span
        while position < buffer.count {
            switch state {
            case .start, .afterLeadingLine:
                try scanStart(buffer[position])
            case .leadingLineFeed:
                guard buffer[position] == ByteClass.lineFeed else { throw .headBareCR }
                state = .afterLeadingLine
                position += 1
                lineStart = position
            case .method:
                try scanMethod(buffer)
            case .target:
                try scanTarget(buffer)
            case .version:
                try scanVersion(buffer)
            case .lineFeed:
                guard buffer[position] == ByteClass.lineFeed else { throw .headBareCR }
                position += 1
                state = .complete
                return true
            case .complete:
                return true
            }
        }
        return state == .complete
    }

    /// RFC 9112 §2.2: at least one empty line before a request line is skipped. Not more than one,
    /// or a flood of them would be an endless request that no limit counts.
    private mutating func scanStart(_ byte: UInt8) throws(HTTPError.Cause) {
        if state == .start, byte == ByteClass.carriageReturn {
            state = .leadingLineFeed
            position += 1
            return
        }
        guard ByteSet.token.contains(byte) else {
            throw byte == ByteClass.carriageReturn
                ? .emptyLinesRepeated : Self.cause(byte, or: .methodInvalid)
        }
        state = .method
    }

    private mutating func scanMethod(_ buffer: Span<UInt8>) throws(HTTPError.Cause) {
        let end = min(buffer.count, lineStart + lineBytesMax)
        while position < end, ByteSet.token.contains(buffer[position]) { position += 1 }
        try checkLength(buffer)
        guard position < buffer.count else { return }
        guard buffer[position] == ByteClass.space else {
            // A CR here is a line of one word.
            throw buffer[position] == ByteClass.carriageReturn
                ? .methodInvalid : Self.cause(buffer[position], or: .methodInvalid)
        }
        method = lineStart..<position
        position += 1
        target = position..<position
        state = .target
    }

    private mutating func scanTarget(_ buffer: Span<UInt8>) throws(HTTPError.Cause) {
        let end = min(buffer.count, lineStart + lineBytesMax)
        while position < end, ByteSet.target.contains(buffer[position]) { position += 1 }
        try checkLength(buffer)
        guard position < buffer.count else { return }
        let byte = buffer[position]
        target = target.lowerBound..<position
        guard byte == ByteClass.space else {
            // A CR here is a line of two words, as HTTP/0.9 had it.
            throw byte == ByteClass.carriageReturn
                ? .versionInvalid : Self.cause(byte, or: .targetInvalid)
        }
        guard !target.isEmpty else { throw .requestLineWhitespace }
        position += 1
        versionStart = position
        state = .version
    }

    /// RFC 9112 §2.3: `HTTP-version = "HTTP" "/" DIGIT "." DIGIT`, case-sensitive.
    private mutating func scanVersion(_ buffer: Span<UInt8>) throws(HTTPError.Cause) {
        let offset = position - versionStart
        let byte = buffer[position]
        if offset == 8, byte == ByteClass.carriageReturn {
            position += 1
            state = .lineFeed
            return
        }
        try checkLength(buffer)
        let valid =
            switch offset {
            case 0, 4: byte == (offset == 0 ? 0x48 : ByteClass.slash)
            case 1, 2: byte == 0x54
            case 3: byte == 0x50
            case 5, 7: ByteClass.isDigit(byte)
            case 6: byte == 0x2E
            default: false
            }
        guard valid else {
            throw byte == ByteClass.carriageReturn
                ? .versionInvalid : Self.cause(byte, or: .versionInvalid)
        }
        position += 1
    }

    /// Refuses as soon as the byte beyond the limit is there.
    private func checkLength(_ buffer: Span<UInt8>) throws(HTTPError.Cause) {
        if position < buffer.count, position - lineStart >= lineBytesMax {
            throw .requestLineTooLong
        }
    }

    /// Line ends and white space in the wrong place have causes of their own, wherever they stand.
    private static func cause(_ byte: UInt8, or other: HTTPError.Cause) -> HTTPError.Cause {
        switch byte {
        case ByteClass.lineFeed: .headBareLF
        case ByteClass.carriageReturn: .headBareCR
        case ByteClass.space, ByteClass.tab: .requestLineWhitespace
        default: other
        }
    }
}
