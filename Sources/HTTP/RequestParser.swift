import Bytes

/// Parses requests from a connection's bytes, however they are split, without I/O.
///
///     feed → .needsBytes      read more and feed it
///          → .expectsContinue write `ResponseEncoder.continueBytes`, then read more
///          → .complete        `takeRequest()`, answer, feed the bytes that were not consumed
///          throws             answer the error and close; the parser keeps throwing it
///
/// Any split of the same bytes gives the same requests and the same refusal.
package struct RequestParser: Sendable {
    /// The caller's next step.
    package enum Status: Sendable, Equatable {
        case needsBytes
        /// The head is complete, the body has not begun, and the client waits for `100 Continue`.
        case expectsContinue
        case complete
    }

    private enum Phase: Sendable {
        case requestLine, fields, fixedBody, chunkedBody, complete
    }

    /// Bytes are copied into the head's buffer in windows of this size, because only scanning finds
    /// the end of the head. At most this much of a body is copied twice.
    static let windowBytes = 1024

    private let limits: Limits
    private var phase = Phase.requestLine
    private var head: [UInt8] = []
    private var lineScanner: RequestLineScanner
    private var fieldScanner: FieldSectionScanner
    private var line: RequestLine?
    private var keepAlive = true
    private var body: [UInt8] = []
    private var bodyRemaining = 0
    private var decoder: ChunkedDecoder
    private var failure: HTTPError?

    /// The caller's next step after the bytes so far.
    package private(set) var status = Status.needsBytes

    package init(limits: Limits) {
        let limits = limits.bounded()
        self.limits = limits
        lineScanner = RequestLineScanner(
            lineBytesMax: min(limits.requestLineBytesMax, limits.headBytesMax))
        fieldScanner = FieldSectionScanner(
            start: 0, bound: 0, fieldCountMax: limits.fieldCountMax)
        decoder = ChunkedDecoder(limits: limits)
    }

    // Stored rather than computed: an object that holds the parser reads these for every read, and
    // would copy the whole parser for a computed property.

    /// Whether any byte of a request line was read since the last request. A preceding empty line
    /// does not count, so a connection is idle until this is true.
    package private(set) var hasBegun = false

    /// Whether the head is complete and the body is not.
    package private(set) var isInBody = false

    /// Bytes of memory that the request holds so far.
    package private(set) var heldBytes = 0

    /// The method once it was read, also after an error: the answer to a HEAD has no body even if
    /// it is an error (RFC 9110 §9.3.2).
    package var method: Method? {
        lineScanner.method.map { Method(token: head.span.extracting($0)) }
    }

    /// The path once the request line was read, also after an error: the answer to a 405 lists the
    /// methods of this path.
    package var path: ArraySlice<UInt8>? { line.map { $0.originForm(in: head).path } }

    /// Takes bytes up to the end of one request. Returns the number consumed; the rest belongs to
    /// the next request and is fed again after `takeRequest()`. Throws the error to answer before
    /// closing, at the first byte that shows it, and again on every later call.
    package mutating func feed(_ bytes: Span<UInt8>) throws(HTTPError) -> Int {
        if let failure { throw failure }
        defer { noteProgress() }
        do throws(HTTPError.Cause) {
            return try advance(bytes)
        } catch {
            let refusal = HTTPError(error)
            failure = refusal
            body = []
            throw refusal
        }
    }

    private mutating func noteProgress() {
        hasBegun = phase != .requestLine || lineScanner.hasBegun
        isInBody = phase == .fixedBody || phase == .chunkedBody
        heldBytes = head.count + body.count
    }

    private mutating func advance(_ bytes: Span<UInt8>) throws(HTTPError.Cause) -> Int {
        guard bytes.count > 0, phase != .complete else { return 0 }
        status = .needsBytes
        var index = 0
        while index < bytes.count, phase != .complete {
            switch phase {
            case .requestLine, .fields:
                index = try readHead(bytes, from: index)
            case .fixedBody:
                let count = min(bodyRemaining, bytes.count - index)
                body.append(bytes.extracting(index..<(index + count)))
                bodyRemaining -= count
                index += count
                if bodyRemaining == 0 { phase = .complete }
            case .chunkedBody:
                index = try decoder.decode(bytes, from: index, into: &body)
                if decoder.isComplete { phase = .complete }
            case .complete:
                break
            }
        }
        if phase == .complete { status = .complete }
        return index
    }

    /// Copies one window into the head and scans it. Returns the offset where it stopped.
    private mutating func readHead(
        _ bytes: Span<UInt8>, from start: Int
    ) throws(HTTPError.Cause) -> Int {
        let count = min(bytes.count - start, Self.windowBytes)
        let before = head.count
        head.append(bytes.extracting(start..<(start + count)))
        if phase == .requestLine {
            guard try lineScanner.scan(head) else { return start + count }
            try endRequestLine()
        }
        guard try fieldScanner.scan(head, tooLarge: .headTooLarge) else { return start + count }
        let end = start + fieldScanner.position - before
        try endHead(isLastByte: end == bytes.count)
        return end
    }

    private mutating func endRequestLine() throws(HTTPError.Cause) {
        line = try RequestLine(head.span, lineScanner)
        fieldScanner.restart(
            at: lineScanner.position, bound: lineScanner.lineStart + limits.headBytesMax)
        phase = .fields
    }

    /// Applies the rules of the complete head, and determines the framing of the body.
    private mutating func endHead(isLastByte: Bool) throws(HTTPError.Cause) {
        guard let line else { return }
        let rules = FieldRules(head.span, fields: fieldScanner.fields.span)
        try rules.checkHost(head.span, version: line.version, authority: line.target.authority)
        let framing = try rules.bodyFraming(
            head.span, version: line.version, bodyBytesMax: limits.bodyBytesMax)
        let expectsContinue = try rules.expectsContinue(head.span, version: line.version)
        if case .other = line.method { throw .methodNotAllowed }
        keepAlive = rules.keepAlive(version: line.version)
        switch framing {
        case .length(0):
            phase = .complete
            return
        case .length(let count):
            phase = .fixedBody
            bodyRemaining = count
            body.reserveCapacity(min(count, limits.bodyReserveBytesMax))
        case .chunked:
            phase = .chunkedBody
            decoder = ChunkedDecoder(limits: limits)
        }
        // RFC 9110 §10.1.1: 100 may be omitted if the body is already arriving.
        if expectsContinue, isLastByte { status = .expectsContinue }
    }

    /// Returns the request and starts the next one. May be called only after `.complete`; otherwise
    /// it traps.
    package mutating func takeRequest() -> Request {
        guard phase == .complete, let line else {
            preconditionFailure("takeRequest() before a request is complete")
        }
        var section: [UInt8] = []
        var content: [UInt8] = []
        swap(&section, &head)
        swap(&content, &body)
        let target = line.originForm(in: section)
        let request = Request(
            method: line.method, target: target.whole, path: target.path, query: target.query,
            version: line.version,
            fields: fieldScanner.fields.map {
                Header(section: section, name: $0.name, value: $0.value)
            },
            body: content, keepAlive: keepAlive)
        phase = .requestLine
        status = .needsBytes
        lineScanner = RequestLineScanner(
            lineBytesMax: min(limits.requestLineBytesMax, limits.headBytesMax))
        self.line = nil
        noteProgress()
        return request
    }
}
