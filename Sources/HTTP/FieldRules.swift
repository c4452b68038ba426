import Bytes

/// Evaluates the well-known fields of a head. One pass collects them, then the rules are applied in
/// a fixed order, so that a head gets the same verdict however it was split.
struct FieldRules {
    private var hostCount = 0
    private var host = 0..<0
    private var lengthCount = 0
    private var length = 0..<0
    private var codingCount = 0
    private var lastCoding = 0..<0
    private var expectCount = 0
    private var expect = 0..<0
    private var closes = false
    private var keepsAlive = false

    /// Collects the fields that the rules use.
    init(_ head: Span<UInt8>, fields: Span<FieldBounds>) {
        for index in 0..<fields.count {
            let field = fields[index]
            // The length of the name excludes nearly all other fields without comparing it.
            switch field.nameCount {
            case 4 where head.extracting(field.name).matches(lowercased: "host"):
                hostCount += 1
                host = field.value
            case 6 where head.extracting(field.name).matches(lowercased: "expect"):
                expectCount += 1
                expect = field.value
            case 10 where head.extracting(field.name).matches(lowercased: "connection"):
                collectConnection(head.extracting(field.value))
            case 14 where head.extracting(field.name).matches(lowercased: "content-length"):
                lengthCount += 1
                length = field.value
            case 17 where head.extracting(field.name).matches(lowercased: "transfer-encoding"):
                codingCount += 1
                lastCoding = field.value
            default:
                break
            }
        }
    }

    /// Parses a list of options without regard to case (RFC 9110 §7.6.1).
    private mutating func collectConnection(_ value: Span<UInt8>) {
        var start = 0
        for index in 0...value.count where index == value.count || value[index] == ByteClass.comma {
            let item = value.extracting(start..<index)
            let option = item.extracting(item.trimmingBlanks(0..<item.count))
            if option.matches(lowercased: "close") { closes = true }
            if option.matches(lowercased: "keep-alive") { keepsAlive = true }
            start = index + 1
        }
    }

    /// Requires exactly one valid `Host` in HTTP/1.1 and at most one in 1.0 (RFC 9112 §3.2). It
    /// must equal the authority of an absolute-form target, because a proxy in front may have
    /// routed by either.
    func checkHost(
        _ head: Span<UInt8>, version: Version, authority: Range<Int>?
    ) throws(HTTPError.Cause) {
        guard hostCount <= 1 else { throw .hostRepeated }
        guard hostCount == 1 else {
            if version == .http11 { throw .hostMissing }
            if authority != nil { throw .hostNotTarget }
            return
        }
        let value = head.extracting(host)
        guard HostRules.isValid(value) else { throw .hostInvalid }
        if let authority, !head.extracting(authority).equalsIgnoringCase(value) {
            throw .hostNotTarget
        }
    }

    /// Determines the framing of the body (RFC 9112 §6.3). Wherever the RFC leaves a choice, the
    /// message is refused.
    func bodyFraming(
        _ head: Span<UInt8>, version: Version, bodyBytesMax: Int
    ) throws(HTTPError.Cause) -> BodyFraming {
        if codingCount > 0 {
            // §6.1: both fields together indicate request smuggling; HTTP/1.0 does not define the
            // coding.
            guard lengthCount == 0 else { throw .contentLengthAndTransferEncoding }
            guard version == .http11 else { throw .transferEncodingInHTTP10 }
            let coding = head.extracting(lastCoding)
            guard codingCount == 1, coding.matches(lowercased: "chunked") else {
                // §6.1: an unknown coding before chunked is 501; §6.3: chunked not last is 400.
                let ends =
                    coding.count >= 7
                    && coding.extracting(last: 7).matches(lowercased: "chunked")
                throw ends ? .transferEncodingUnsupported : .transferEncodingNotChunked
            }
            return .chunked
        }
        guard lengthCount > 0 else { return .length(0) }
        // §6.3 permits a repeated identical value, but its sender is broken or probing.
        guard lengthCount == 1 else { throw .contentLengthRepeated }
        return .length(try Self.contentLength(head.extracting(length), max: bodyBytesMax))
    }

    /// Parses `Content-Length = 1*DIGIT`: no sign, no list, no white space inside (RFC 9110 §8.6).
    private static func contentLength(
        _ value: Span<UInt8>, max: Int
    ) throws(HTTPError.Cause) -> Int {
        guard value.count > 0 else { throw .contentLengthInvalid }
        var length = 0
        for index in 0..<value.count {
            guard ByteClass.isDigit(value[index]) else { throw .contentLengthInvalid }
            // Beyond the limit the remaining digits are checked but not counted, so no overflow is
            // possible.
            if length <= max { length = length * 10 + Int(value[index] &- 0x30) }
        }
        guard length <= max else { throw .bodyTooLarge }
        return length
    }

    /// Whether the client expects `100-continue` (RFC 9110 §10.1.1). Other expectations are
    /// refused; an HTTP/1.0 client cannot expect anything.
    func expectsContinue(
        _ head: Span<UInt8>, version: Version
    ) throws(HTTPError.Cause) -> Bool {
        guard expectCount > 0, version == .http11 else { return false }
        guard expectCount == 1, head.extracting(expect).matches(lowercased: "100-continue") else {
            throw .expectationUnknown
        }
        return true
    }

    /// Whether the connection stays open after this request (RFC 9112 §9.3).
    func keepAlive(version: Version) -> Bool {
        !closes && (version == .http11 || keepsAlive)
    }
}

/// The way to find the end of a body (RFC 9112 §6.3).
enum BodyFraming: Sendable, Equatable {
    /// This many bytes; 0 if there is no body.
    case length(Int)
    case chunked
}

/// Checks a `Host` field or a target's authority: `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986
/// §3.2.2), but without user information, empty host, comma and IPvFuture.
enum HostRules {
    static func isValid(_ host: Span<UInt8>) -> Bool {
        guard host.count > 0 else { return false }
        let nameEnd: Int
        if host[0] == ByteClass.bracketOpen {
            guard let end = literalEnd(host) else { return false }
            nameEnd = end
        } else {
            guard let end = registeredNameEnd(host) else { return false }
            nameEnd = end
        }
        if nameEnd == host.count { return true }
        return host[nameEnd] == ByteClass.colon
            && isPort(host.extracting((nameEnd + 1)..<host.count))
    }

    /// The offset after the closing bracket of an IPv6 literal with at least two colons.
    private static func literalEnd(_ host: Span<UInt8>) -> Int? {
        var index = 1
        var colons = 0
        while index < host.count, ByteSet.ipv6Literal.contains(host[index]) {
            if host[index] == ByteClass.colon { colons += 1 }
            index += 1
        }
        guard colons >= 2, index < host.count, host[index] == ByteClass.bracketClose else {
            return nil
        }
        return index + 1
    }

    /// The offset after a non-empty name with well-formed percent-encoding.
    private static func registeredNameEnd(_ host: Span<UInt8>) -> Int? {
        var index = 0
        while index < host.count, ByteSet.registeredName.contains(host[index]) {
            if host[index] == ByteClass.percent {
                guard index + 2 < host.count, ByteClass.hexValue(host[index + 1]) != nil,
                    ByteClass.hexValue(host[index + 2]) != nil
                else { return nil }
            }
            index += 1
        }
        return index > 0 ? index : nil
    }

    /// Checks `port = *DIGIT`: it may be empty, and must be a valid TCP port.
    private static func isPort(_ port: Span<UInt8>) -> Bool {
        guard port.count <= 5 else { return false }
        var value = 0
        for index in 0..<port.count {
            guard ByteClass.isDigit(port[index]) else { return false }
            value = value * 10 + Int(port[index] &- 0x30)
        }
        return value <= 65_535
    }
}
