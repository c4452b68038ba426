/// Parses one answer from the bytes of a connection, without I/O.
///
/// Strict where leniency would let two readers disagree: lines end with CRLF, there is one framing,
/// and no line is folded. Interim answers (1xx) are skipped.
package struct ResponseParser {
    private enum Phase: Equatable {
        case head
        case fixed(Int)
        case chunkSize, chunkData(Int), chunkEnd, trailers
        case untilClose
        case complete
    }

    private let limits: ClientLimits
    private let answersHead: Bool
    private var buffer: [UInt8] = []
    private var start = 0
    private var phase = Phase.head
    private var response = ReceivedResponse(status: 0)

    /// Number of bytes received, including interim answers.
    package private(set) var bytesSeen = 0

    /// - Parameter answersHead: Whether the request was a HEAD, whose answer has no body whatever
    ///   its headers say (RFC 9112 §6.3).
    package init(limits: ClientLimits = ClientLimits(), answersHead: Bool = false) {
        self.limits = limits
        self.answersHead = answersHead
    }

    /// Number of unrequested bytes after the answer.
    package var surplus: Int { phase == .complete ? buffer.count - start : 0 }

    /// Takes bytes and returns the answer once it is complete.
    ///
    /// - Throws: `malformed`, `tooLarge`.
    package mutating func feed(_ bytes: some Collection<UInt8>) throws(ClientError)
        -> ReceivedResponse?
    {
        buffer += bytes
        bytesSeen += bytes.count
        while try step() {}
        return phase == .complete ? response : nil
    }

    /// Ends the answer after the connection was closed in order.
    ///
    /// - Throws: `closed` unless the end of the connection ends this answer.
    package mutating func end() throws(ClientError) -> ReceivedResponse {
        guard phase == .untilClose || phase == .complete else {
            throw .closed(afterBytes: bytesSeen)
        }
        phase = .complete
        return response
    }

    /// Performs one step; returns false if more bytes are needed or nothing is left to do.
    private mutating func step() throws(ClientError) -> Bool {
        switch phase {
        case .head:
            guard let head = try takeHead() else { return false }
            try begin(head)
        case .fixed(let count):
            guard try take(count) else { return false }
            phase = .complete
        case .chunkSize:
            guard let line = try takeLine(limits.chunkLineBytesMax, "chunkLineBytesMax") else {
                return false
            }
            let size = try Self.chunkSize(line)
            phase = size == 0 ? .trailers : .chunkData(size)
        case .chunkData(let count):
            guard try take(count) else { return false }
            phase = .chunkEnd
        case .chunkEnd:
            guard buffer.count - start >= 2 else { return false }
            guard buffer[start] == 0x0D, buffer[start + 1] == 0x0A else {
                throw .malformed("a chunk does not end where its size says")
            }
            start += 2
            phase = .chunkSize
        case .trailers:
            guard let line = try takeLine(limits.headBytesMax, "headBytesMax") else { return false }
            if line.isEmpty { phase = .complete }
        case .untilClose:
            _ = try take(buffer.count - start)
            return false
        case .complete:
            return false
        }
        return true
    }

    private mutating func begin(_ head: ResponseHead) throws(ClientError) {
        if (100..<200).contains(head.status) {
            // 101 would change the protocol, which was not requested (RFC 9110 §15.2.2).
            guard head.status != 101 else { throw .malformed("an unrequested protocol upgrade") }
            return
        }
        response = ReceivedResponse(
            status: head.status, fields: head.fields, keepsAlive: head.keepsAlive)
        switch try head.framing(answersHead: answersHead) {
        case .none: phase = .complete
        case .length(let count):
            guard count <= limits.bodyBytesMax else { throw .tooLarge("bodyBytesMax") }
            phase = .fixed(count)
        case .chunked: phase = .chunkSize
        case .untilClose:
            response.keepsAlive = false
            phase = .untilClose
        }
    }

    /// Moves bytes into the body; returns true after `count` bytes.
    private mutating func take(_ count: Int) throws(ClientError) -> Bool {
        let available = min(count, buffer.count - start)
        guard response.body.count + available <= limits.bodyBytesMax else {
            throw .tooLarge("bodyBytesMax")
        }
        response.body += buffer[start..<(start + available)]
        start += available
        compact()
        if available == count { return true }
        switch phase {
        case .fixed: phase = .fixed(count - available)
        case .chunkData: phase = .chunkData(count - available)
        default: break
        }
        return false
    }

    private mutating func takeHead() throws(ClientError) -> ResponseHead? {
        guard let end = buffer[start...].firstIndex(ofEmptyLineFrom: start) else {
            guard buffer.count - start <= limits.headBytesMax else {
                throw .tooLarge("headBytesMax")
            }
            return nil
        }
        guard end - start <= limits.headBytesMax else { throw .tooLarge("headBytesMax") }
        let head = try ResponseHead(buffer[start..<end])
        start = end + 4
        compact()
        return head
    }

    private mutating func takeLine(
        _ bytesMax: Int, _ limit: String
    ) throws(ClientError) -> ArraySlice<UInt8>? {
        guard let newline = buffer[start...].firstIndex(of: 0x0A) else {
            guard buffer.count - start <= bytesMax else { throw .tooLarge(limit) }
            return nil
        }
        guard newline > start, buffer[newline - 1] == 0x0D else {
            throw .malformed("a line of a chunked body does not end with CRLF")
        }
        guard newline - start <= bytesMax else { throw .tooLarge(limit) }
        let line = Array(buffer[start..<(newline - 1)])
        start = newline + 1
        return line[...]
    }

    /// `1*HEXDIG [;extension]` (RFC 9112 §7.1).
    private static func chunkSize(_ line: ArraySlice<UInt8>) throws(ClientError) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") }
        let isHex =
            !digits.isEmpty && digits.count <= 8
            && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
        guard isHex, let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else {
            throw .malformed("a chunk size that is not a hexadecimal number")
        }
        return size
    }

    /// Removes consumed bytes from the buffer from time to time.
    private mutating func compact() {
        guard start > 65_536 || start == buffer.count else { return }
        buffer.removeFirst(start)
        start = 0
    }
}

extension ArraySlice<UInt8> {
    /// The index of CRLF CRLF.
    fileprivate func firstIndex(ofEmptyLineFrom start: Int) -> Int? {
        guard count >= 4 else { return nil }
        return (start...(endIndex - 4)).first {
            self[$0] == 0x0D && self[$0 + 1] == 0x0A && self[$0 + 2] == 0x0D && self[$0 + 3] == 0x0A
        }
    }
}
