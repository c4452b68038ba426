/// The records that an erasure names, as ascending ranges of sequences: `3-5,17`.
package struct ErasedRecords: Sendable, Equatable {
    /// Ascending, without a record in common.
    package private(set) var ranges: [ClosedRange<UInt64>] = []

    /// - Parameter sequences: From 1, in any order, also several times.
    package init(_ sequences: some Sequence<UInt64>) {
        for sequence in sequences.sorted() {
            if let last = ranges.last, sequence <= last.upperBound + 1 {
                ranges[ranges.count - 1] = last.lowerBound...max(sequence, last.upperBound)
            } else {
                ranges.append(sequence...sequence)
            }
        }
    }

    /// Nil unless they are ascending, none has a record of another, and all can be records.
    package init?(ascending ranges: [ClosedRange<UInt64>]) {
        var before: UInt64 = 0
        for range in ranges {
            guard range.lowerBound > before, range.upperBound < Self.end else { return nil }
            before = range.upperBound
        }
        self.ranges = ranges
    }

    private static let end: UInt64 = 1 << 40

    /// All records up to this one.
    package init(through last: UInt64) { ranges = last > 0 ? [1...last] : [] }

    /// Reads ``text``; nil for anything else.
    package init?(text: String) {
        var ranges: [ClosedRange<UInt64>] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
            guard (1...2).contains(ends.count), let first = Self.number(ends[0]),
                let last = Self.number(ends[ends.count - 1]), first <= last
            else { return nil }
            ranges.append(first...last)
        }
        guard !ranges.isEmpty else { return nil }
        self.init(ascending: ranges)
    }

    private static func number(_ text: Substring) -> UInt64? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(text)
    }

    /// Adds those of another erasure.
    package mutating func formUnion(_ others: ErasedRecords) {
        var merged: [ClosedRange<UInt64>] = []
        for range in (ranges + others.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                let end = max(last.upperBound, range.upperBound)
                merged[merged.count - 1] = last.lowerBound...end
            } else {
                merged.append(range)
            }
        }
        ranges = merged
    }

    package var isEmpty: Bool { ranges.isEmpty }

    package var text: String {
        ranges.map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        }.joined(separator: ",")
    }

    /// Number of records.
    package var count: Int { ranges.reduce(0) { $0 + $1.count } }

    package func contains(_ sequence: UInt64) -> Bool {
        ranges.contains { $0.contains(sequence) }
    }
}

extension RecordedAction {
    private static let records = "records"

    /// The parameters of an erasure of these records.
    package static func parameters(erasing records: ErasedRecords) -> [Parameter] {
        [Parameter(Self.records, records.text)]
    }

    /// The records whose personal parts an `erase` destroys; nil of any other act.
    package var erased: ErasedRecords? {
        guard kind == .erase, let text = parameters.first(where: { $0.name == Self.records })
        else { return nil }
        return ErasedRecords(text: text.value)
    }
}
