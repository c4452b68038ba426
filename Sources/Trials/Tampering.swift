import Providers

/// Changes one character of what a signature covers, and leaves everything well-formed.
enum Tampering {
    /// The reference's last character where the body holds the reference; else, as in a body that is
    /// encrypted, the body's middle character.
    static func change(_ delivery: OutboundDelivery, of event: SampleEvent) -> OutboundDelivery {
        var body = delivery.body
        let reference = Array(event.reference.utf8)
        if let found = body.firstRange(of: reference), let last = body[found].indices.last {
            body[last] = other(body[last])
        } else if !body.isEmpty {
            let middle = body.count / 2
            body[middle] = other(body[middle])
        }
        return OutboundDelivery(
            method: delivery.method, target: delivery.target, headers: delivery.headers, body: body)
    }

    /// Another character that is a hexadecimal digit too, so that the form stays what it was.
    private static func other(_ byte: UInt8) -> UInt8 {
        byte == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
    }
}

extension [UInt8] {
    /// Where `part` stands first.
    func firstRange(of part: [UInt8]) -> Range<Int>? {
        guard !part.isEmpty, part.count <= count else { return nil }
        return (0...(count - part.count)).first { self[$0..<($0 + part.count)] == part[...] }
            .map { $0..<($0 + part.count) }
    }
}
