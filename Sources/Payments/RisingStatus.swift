/// A status that only rises: of all the reports about one thing, the highest is what it is.
///
/// Providers resend for days and promise no order, so "the last report wins" would let a late retry
/// undo a payment. The raw value is the rank and is written to disk: it never changes.
package protocol RisingStatus: RawRepresentable, Comparable, CaseIterable, Hashable, Sendable
where RawValue == UInt8 {
    /// The word for this status in records and answers, in `snake_case`.
    var name: String { get }
}

extension RisingStatus {
    package static func < (lower: Self, higher: Self) -> Bool {
        lower.rawValue < higher.rawValue
    }

    /// The status that a record calls `name`, or nil when none of ours has that name.
    package init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }
}
