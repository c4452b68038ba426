/// The rule for names of people, as a configuration lists them and an authenticating proxy states
/// them in a header.
package enum PersonName {
    /// Names of callers who are no person.
    package static let reserved = ["admin", "operator", "viewer", "local", "nobody", "ipnd"]
    package static let bytesMax = 128

    /// Whether a name can be recorded and shown: printable ASCII without spaces and quotes, which
    /// includes e-mail addresses.
    package static func isValid(_ name: some Collection<UInt8>) -> Bool {
        !name.isEmpty && name.count <= bytesMax
            && name.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || "@._+-:/|=".utf8.contains(byte)
            }
    }
}
