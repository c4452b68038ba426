import JSON

/// A JSON pointer (RFC 6901), taken apart once.
struct PointerPath: Sendable, Equatable {
    /// Its reference tokens, decoded.
    let names: [[UInt8]]
    /// The same as places in an array (RFC 6901 §4), where they can be.
    private let places: [Int?]

    /// Nil for a text that is no pointer.
    init?(_ pointer: String) {
        var names: [[UInt8]] = []
        let parts = pointer.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.first?.isEmpty != false else { return nil }
        for part in parts.dropFirst() {
            guard let name = JSONValue.unescapedBytes(part) else { return nil }
            names.append(name)
        }
        self.names = names
        places = names.map(Self.place)
    }

    /// The value that it refers to; nil where there is none.
    func value(in root: JSONValue) -> JSONValue? {
        var value = root
        for index in names.indices {
            let next: JSONValue?
            if value.kind == .array {
                next = places[index].flatMap { Self.element($0, of: value) }
            } else {
                let name = names[index]
                next = value[utf8: name.span]
            }
            guard let next else { return nil }
            value = next
        }
        return value
    }

    private static func element(_ place: Int, of array: JSONValue) -> JSONValue? {
        var left = place
        for element in array.elements {
            if left == 0 { return element }
            left -= 1
        }
        return nil
    }

    /// `0`, or digits without a leading zero.
    private static func place(_ name: [UInt8]) -> Int? {
        guard name.allSatisfy({ (0x30...0x39).contains($0) }), name.first != 0x30 || name.count == 1
        else { return nil }
        return Int(String(decoding: name, as: UTF8.self))
    }
}
