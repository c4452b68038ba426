import COpenSSL

/// Application-Layer Protocol Negotiation (RFC 7301): `http/1.1` is the one protocol spoken here.
enum ApplicationProtocol {
    /// The list of one name in wire form: its length, then its bytes (RFC 7301 section 3.1).
    static let wireList: [UInt8] = [8] + Array("http/1.1".utf8)

    /// Answers a client's list. A client that offers others only gets the alert
    /// `no_application_protocol` (RFC 7301 section 3.2); for one that offers no list, OpenSSL does
    /// not ask.
    ///
    /// OpenSSL has checked the framing of `offered` before; the result points into it, as OpenSSL
    /// wants.
    static func select(
        from offered: UnsafeBufferPointer<UInt8>,
        _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ selectedCount: UnsafeMutablePointer<UInt8>?
    ) -> Int32 {
        var index = 0
        while index < offered.count {
            let end = index + 1 + Int(offered[index])
            guard end <= offered.count else { break }
            if offered[index..<end].elementsEqual(wireList) {
                selected?.pointee = offered.baseAddress.map { $0 + index + 1 }
                selectedCount?.pointee = offered[index]
                return SSL_TLSEXT_ERR_OK
            }
            index = end
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
}
