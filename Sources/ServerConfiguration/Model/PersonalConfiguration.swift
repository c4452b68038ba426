/// How personal data in records is protected.
package struct PersonalConfiguration: Sendable, Equatable {
    /// The key of the hashes that replace values (`redact`); nil for the same text in place of
    /// each.
    package var hashKey: [UInt8]?
    /// Where the key comes from.
    package var hashKeySource: SecretSource?

    package init() {}
}
