import Sealing

/// How personal data in records is protected.
package struct PersonalConfiguration: Sendable, Equatable {
    /// The key of the hashes that replace values (`redact`); nil for the same text in place of
    /// each.
    package var hashKey: [UInt8]?
    /// Where the key comes from.
    package var hashKeySource: SecretSource?
    /// The keys that wrap the keys of the records, the present one first. Records are sealed while
    /// there is one.
    package var masterKeys: [MasterKey] = []
    /// Where the master keys come from, in their order.
    package var masterKeySources: [String] = []

    /// Days after which the personal parts of records are erased; 0 for never.
    package var retainDays = 0

    package init() {}
}
