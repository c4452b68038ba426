import Bytes
import Payments

/// A signed request, ready to be sent.
package struct OutboundDelivery: Sendable, Equatable {
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

    /// The same request as its receiver sees it at that time.
    package func delivery(received: Timestamp) -> Delivery {
        let bytes = Array(target.utf8)
        let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
        return Delivery(
            method: method, path: bytes[..<(mark ?? bytes.endIndex)],
            query: mark.map { bytes[($0 + 1)...] }, headers: headers, body: body,
            received: received)
    }
}
