import Bytes
import Cryptography
import Foundation

/// Signs requests of GoCardless with any events, for the sandbox's endpoint.
struct GoCardlessBatch {
    private let secret: [UInt8]

    init(_ instance: Instance) throws {
        let text = try String(
            contentsOfFile: "\(instance.folder)/secrets/gocardless", encoding: .utf8)
        secret = Array(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
    }

    /// A payment that succeeded; each number is an order of its own.
    static func event(_ number: Int, action: String = "confirmed") -> String {
        #"{"id":"EV\#(number)\#(action)","created_at":"2026-11-21T07:00:00.000Z","#
            + #""resource_type":"payments","action":"\#(action)","#
            + #""links":{"payment":"PM\#(number)"},"#
            + #""details":{"origin":"gocardless","cause":"payment_\#(action)","description":"d"},"#
            + #""metadata":{},"resource_metadata":{"order_id":"GC-\#(number)"}}"#
    }

    /// One request with these events.
    func request(_ events: [String]) -> [UInt8] {
        let body = Array(
            #"{"events":[\#(events.joined(separator: ","))],"meta":{"webhook_id":"WB1"}}"#.utf8)
        let code = Hex.encode(HMAC.code(.sha256, key: secret, message: body))
        let head =
            "POST /ipn/gocardless HTTP/1.1\r\nHost: localhost\r\nWebhook-Signature: \(code)\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }
}
