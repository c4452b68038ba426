/// One header line of a delivery, as received: the name in the sender's spelling, the value without
/// the optional white space around it. Bytes and not text, because signatures are made over bytes.
package struct Header: Sendable, Equatable {
    package let name: ArraySlice<UInt8>
    package let value: ArraySlice<UInt8>

    package init(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        self.name = name
        self.value = value
    }

    package init(_ name: String, _ value: String) {
        self.init(name: Array(name.utf8)[...], value: Array(value.utf8)[...])
    }

    /// Whether this header's name is `lowercased`; names are compared without regard to case (RFC
    /// 9110 §5.1).
    package func isNamed(_ lowercased: String) -> Bool {
        guard name.count == lowercased.utf8.count else { return false }
        var index = name.startIndex
        for expected in lowercased.utf8 {
            let received = name[index]
            let isUppercase = received >= UInt8(ascii: "A") && received <= UInt8(ascii: "Z")
            guard (isUppercase ? received | 0x20 : received) == expected else { return false }
            index += 1
        }
        return true
    }
}
