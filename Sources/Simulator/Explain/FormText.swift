import Bytes

/// A form's bytes, `name=value&name=value`, changed value by value.
enum FormText {
    /// The same form with `change` applied to each value, or to the value of `name` alone.
    static func changingValues(
        _ body: [UInt8], of name: String? = nil, _ change: ([UInt8]) -> [UInt8]
    ) -> [UInt8] {
        let pairs = body.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        return Array(
            pairs.map { pair -> [UInt8] in
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                    name.map({ pair[..<equals].elementsEqual($0.utf8) }) ?? true
                else { return Array(pair) }
                return Array(pair[...equals]) + change(Array(pair[(equals + 1)...]))
            }.joined(separator: [UInt8(ascii: "&")]))
    }

    static func encoded(_ value: [UInt8]) -> [UInt8] { Array(PercentEncoding.encode(value).utf8) }

    static func decoded(_ value: [UInt8]) -> [UInt8] {
        PercentEncoding.decode(value[...]) ?? value
    }
}
