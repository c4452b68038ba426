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
