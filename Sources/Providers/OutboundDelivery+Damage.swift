extension OutboundDelivery {
    /// The same request with one signed character changed after it was signed, for `--scenario
    /// bad-signature`.
    ///
    /// - Parameter reference: The event's reference. Its last character is changed where it stands
    ///   in the body; a body that does not show it (an encrypted one) has its own last character
    ///   changed.
    package func damaged(reference: String) -> OutboundDelivery {
        var changed = body
        let sought = Array(reference.utf8)
        let start = changed.indices.first { changed[$0...].starts(with: sought) }
        let index =
            start.flatMap { sought.isEmpty ? nil : $0 + sought.count - 1 } ?? changed.indices.last
        if let index {
            let one = UInt8(ascii: "1")
            changed[index] = changed[index] == one ? UInt8(ascii: "0") : one
        }
        return OutboundDelivery(method: method, target: target, headers: headers, body: changed)
    }
}
