/// The parts of a request target (RFC 9112 §3.2). Origin-form and absolute-form are supported.
struct RequestTarget: Sendable {
    /// The host and port of an absolute-form target.
    var authority: Range<Int>?
    /// Path and query in the head; empty for an absolute-form target without a path.
    var originForm: Range<Int>
    var path: Range<Int>
    var query: Range<Int>?

    /// Parses the target at `range`. `*` and authority-form belong to OPTIONS and CONNECT, which
    /// are not supported: with these methods they are accepted here, so that the answer can be a
    /// 405.
    init(
        _ head: Span<UInt8>, at range: Range<Int>, method: Method
    ) throws(HTTPError.Cause) {
        var start = range.lowerBound
        if head[start] != ByteClass.slash {
            if Self.isOtherForm(head.extracting(range), of: method) {
                originForm = range
                path = range
                return
            }
            start = try Self.authorityStart(head, range)
            var end = start
            while end < range.upperBound, head[end] != ByteClass.slash,
                head[end] != ByteClass.questionMark
            { end += 1 }
            let authority = start..<end
            // RFC 9110 §4.2.1: an http URI with an empty host is invalid.
            guard HostRules.isValid(head.extracting(authority)) else { throw .targetFormInvalid }
            self.authority = authority
            start = end
        }
        originForm = start..<range.upperBound
        path = originForm
        try split(head)
    }

    /// Finds the `?` and checks what the scanner's character set cannot: percent-encoding, and
    /// brackets, which are allowed only in an IPv6 host (RFC 3986 §3.3, §3.4).
    private mutating func split(_ head: Span<UInt8>) throws(HTTPError.Cause) {
        var index = originForm.lowerBound
        let end = originForm.upperBound
        while index < end {
            switch head[index] {
            case ByteClass.questionMark where query == nil:
                path = originForm.lowerBound..<index
                query = (index + 1)..<end
            case ByteClass.percent:
                guard index + 2 < end, ByteClass.hexValue(head[index + 1]) != nil,
                    ByteClass.hexValue(head[index + 2]) != nil
                else { throw .targetPercentInvalid }
            case ByteClass.bracketOpen, ByteClass.bracketClose:
                throw .targetInvalid
            default:
                break
            }
            index += 1
        }
    }

    private static func authorityStart(
        _ head: Span<UInt8>, _ range: Range<Int>
    ) throws(HTTPError.Cause) -> Int {
        // RFC 3986 §3.1: schemes are case-insensitive.
        let target = head.extracting(range)
        if target.count > 7, target.extracting(first: 7).matches(lowercased: "http://") {
            return range.lowerBound + 7
        }
        if target.count > 8, target.extracting(first: 8).matches(lowercased: "https://") {
            return range.lowerBound + 8
        }
        throw .targetFormInvalid
    }

    private static func isOtherForm(_ target: Span<UInt8>, of method: Method) -> Bool {
        switch method {
        case .other("OPTIONS"): target.matches("*")
        case .other("CONNECT"): HostRules.isValid(target)
        default: false
        }
    }
}
