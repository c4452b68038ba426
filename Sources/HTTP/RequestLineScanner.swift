/// Finds the parts of a request line as its bytes arrive, and refuses the first byte that is not
/// allowed (RFC 9112 §3):
///
///     request-line = method SP request-target SP HTTP-version CRLF
///
/// The buffer holds everything since the request began; each call continues where the last one
/// stopped.
struct RequestLineScanner: Sendable {
    private enum State: UInt8 {
        case start, leadingLineFeed, afterLeadingLine, method, target, version, lineFeed, complete
    }

    private let lineBytesMax: Int
    private var state = State.start
    /// The next byte to examine.
    private(set) var position = 0
    /// Start of the line: 2 after a leading CRLF, otherwise 0.
    private(set) var lineStart = 0
    private(set) var method: Range<Int>?
    private(set) var target = 0..<0
    private var versionStart = 0

    /// - Parameter lineBytesMax: Maximum length of the line without its CRLF.
    init(lineBytesMax: Int) {
        self.lineBytesMax = lineBytesMax
    }

    /// Whether a byte of the line itself was read. A preceding empty line does not count: old
    /// clients send one after a body and may then stay as silent as any idle connection.
    var hasBegun: Bool { state.rawValue >= State.method.rawValue }

    /// The digits of the version once the line is complete: (1, 1) for HTTP/1.1.
    func version(in buffer: Span<UInt8>) -> (major: UInt8, minor: UInt8) {
        (buffer[versionStart + 5] &- 0x30, buffer[versionStart + 7] &- 0x30)
    }

    /// Scans the new bytes of the buffer. Returns whether the line is complete; `position` is then
    /// after its CRLF.
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

    /// Skips an empty line before the request line (RFC 9112 §2.2). Only one, because a flood of
    /// them would be an endless request that no limit counts.
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
            // A CR here means a line of one word.
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
            // A CR here means a line of two words, as in HTTP/0.9.
            throw byte == ByteClass.carriageReturn
                ? .versionInvalid : Self.cause(byte, or: .targetInvalid)
        }
        guard !target.isEmpty else { throw .requestLineWhitespace }
        position += 1
        versionStart = position
        state = .version
    }

    /// Scans `HTTP-version = "HTTP" "/" DIGIT "." DIGIT`, case-sensitive (RFC 9112 §2.3).
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

    /// Refuses the line at the first byte beyond the limit.
    private func checkLength(_ buffer: Span<UInt8>) throws(HTTPError.Cause) {
        if position < buffer.count, position - lineStart >= lineBytesMax {
            throw .requestLineTooLong
        }
    }

    /// Misplaced line ends and white space have their own causes in every state.
    private static func cause(_ byte: UInt8, or other: HTTPError.Cause) -> HTTPError.Cause {
        switch byte {
        case ByteClass.lineFeed: .headBareLF
        case ByteClass.carriageReturn: .headBareCR
        case ByteClass.space, ByteClass.tab: .requestLineWhitespace
        default: other
        }
    }
}

/// The parts of a complete request line.
struct RequestLine: Sendable {
    let method: Method
    let target: RequestTarget
    let version: Version

    /// Extracts the parts that the scanner found.
    init(_ head: Span<UInt8>, _ scanner: RequestLineScanner) throws(HTTPError.Cause) {
        let (major, minor) = scanner.version(in: head)
        // RFC 9110 §15.6.6: another major version is a 505. Checked before the method, because the
        // HTTP/2 preface begins with `PRI * HTTP/2.0`.
        guard major == 1 else { throw .versionNotSupported }
        version = minor == 0 ? .http10 : .http11
        method = Method(token: head.extracting(scanner.method ?? 0..<0))
        target = try RequestTarget(head, at: scanner.target, method: method)
    }

    /// The target in origin-form. An absolute-form target without a path means `/` (RFC 9112
    /// §3.2.1).
    func originForm(
        in head: [UInt8]
    ) -> (whole: ArraySlice<UInt8>, path: ArraySlice<UInt8>, query: ArraySlice<UInt8>?) {
        if target.path.isEmpty {
            let whole = [ByteClass.slash] + head[target.originForm]
            return (whole[...], whole[..<1], target.query == nil ? nil : whole[2...])
        }
        return (head[target.originForm], head[target.path], target.query.map { head[$0] })
    }
}
