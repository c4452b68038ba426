/// Encodes a request as HTTP/1.1: exactly the given headers, in their order and spelling, plus what
/// the protocol requires.
package enum RequestBytes {
    /// Headers that concern one connection (RFC 9110 §7.6.1) or the framing of the body. They are
    /// generated here; those of a captured request are left out.
    package static let framingNames: Set<String> = [
        "connection", "content-length", "expect", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// - Parameters:
    ///   - host: The `Host` header, unless `headers` holds one already.
    ///   - headers: In this order; ``framingNames`` are left out.
    package static func encode(
        method: String, target: ArraySlice<UInt8>, host: String,
        headers: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)], body: [UInt8]
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512 + body.count)
        bytes += "\(method) ".utf8
        bytes += target
        bytes += " HTTP/1.1\r\n".utf8
        let names = headers.map { String(decoding: $0.name, as: UTF8.self).lowercased() }
        if !names.contains("host") { bytes += "Host: \(host)\r\n".utf8 }
        for (name, header) in zip(names, headers) where !framingNames.contains(name) {
            bytes += header.name
            bytes += ": ".utf8
            bytes += header.value
            bytes += "\r\n".utf8
        }
        // An empty body is also announced if the method usually has one (RFC 9110 §8.6).
        if !body.isEmpty || method == "POST" || method == "PUT" || method == "PATCH" {
            bytes += "Content-Length: \(body.count)\r\n".utf8
        }
        bytes += "\r\n".utf8
        bytes += body
        return bytes
    }
}
