import Payments

/// When records were received, as marks about a day apart: from them follows which events are to be
/// forgotten. Cheaper than a time in each of millions of entries.
struct AgeMarks: Sendable, Equatable {
    struct Mark: Sendable, Equatable {
        var sequence: UInt64
        var received: Timestamp
    }

    private(set) var marks: [Mark] = []

    private static let apart: Int64 = 86_400_000_000

    init() {}

    init(_ marks: [Mark]) { self.marks = marks }

    /// Notes when a record was received. A clock that was set back makes no mark, so marks rise in
    /// both.
    mutating func note(_ sequence: UInt64, received: Timestamp) {
        if let last = marks.last {
            guard sequence > last.sequence,
                received.microseconds - last.received.microseconds >= Self.apart
            else { return }
        }
        marks.append(Mark(sequence: sequence, received: received))
    }

    /// Returns when the record `sequence` was received, or up to a day earlier; nil when unknown.
    func received(notAfter sequence: UInt64) -> Timestamp? {
        marks.last { $0.sequence <= sequence }?.received
    }

    /// Returns the first sequence to keep when everything received before `time` may be forgotten;
    /// nil when nothing may.
    func firstKept(since time: Timestamp) -> UInt64? {
        // All records before a mark were received before it. After a clock was set back, they may
        // be kept longer.
        let old = marks.last { $0.received < time }
        return old.flatMap { $0.sequence > 1 ? $0.sequence : nil }
    }

    /// Forgets the marks that are no longer needed.
    mutating func forget(before sequence: UInt64) {
        marks.removeAll { $0.sequence < sequence }
    }
}
