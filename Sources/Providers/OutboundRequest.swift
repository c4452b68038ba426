import Bytes
import Payments

/// A signed request, ready to be sent.
package struct OutboundRequest: Sendable, Equatable {
    package let method: String

    /// The origin-form of the request target.
    package let target: String
    package let headers: [Header]
    package let body: [UInt8]

    package init(method: String = "POST", target: String, headers: [Header], body: [UInt8]) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// Returns the request as its receiver sees it at that time.
    package func delivery(received: Timestamp) -> SignedRequest {
        let bytes = Array(target.utf8)
        let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
        return SignedRequest(
            method: method, path: bytes[..<(mark ?? bytes.endIndex)],
            query: mark.map { bytes[($0 + 1)...] }, headers: headers, body: body,
            received: received)
    }
}

extension OutboundRequest {
    /// Returns the request with one signed character changed after signing, for `--scenario
    /// bad-signature`.
    ///
    /// - Parameter reference: The event's reference. Its last character is changed if the body
    ///   contains it; otherwise, as in an encrypted body, the last one of the body is that is not
    ///   part of an escape.
    package func damaged(reference: String) -> OutboundRequest {
        var changed = body
        let sought = Array(reference.utf8)
        let start = changed.indices.first { changed[$0...].starts(with: sought) }
        let index =
            start.flatMap { sought.isEmpty ? nil : $0 + sought.count - 1 }
            ?? changed.indices.last { !changed[max(0, $0 - 2)...$0].contains(UInt8(ascii: "%")) }
        if let index {
            let one = UInt8(ascii: "1")
            changed[index] = changed[index] == one ? UInt8(ascii: "0") : one
        }
        return OutboundRequest(method: method, target: target, headers: headers, body: changed)
    }
}
