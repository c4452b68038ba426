/// What a request line says, once all of it is there.
struct RequestLine: Sendable {
    let method: Method
    let target: RequestTarget
    let version: Version

    /// Takes the parts that the scanner found.
    init(_ head: Span<UInt8>, _ scanner: RequestLineScanner) throws(HTTPError.Cause) {
        let (major, minor) = scanner.version(in: head)
        // RFC 9110 §15.6.6: another major version is 505. The method does not matter before that:
        // the HTTP/2 preface begins with `PRI * HTTP/2.0`.
        guard major == 1 else { throw .versionNotSupported }
        version = minor == 0 ? .http10 : .http11
        method = Method(token: head.extracting(scanner.method ?? 0..<0))
        target = try RequestTarget(head, at: scanner.target, method: method)
    }

    /// The target in origin-form. RFC 9112 §3.2.1: an absolute-form target without a path means
    /// `/`.
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
