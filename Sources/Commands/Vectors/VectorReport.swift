/// The result of a run over a file of vectors.
package struct VectorReport: Sendable {
    package var genuine = 0
    package var negatives = 0
    package var traps = 0

    /// The entries that differ, in the order of the file.
    package var failures: [VectorFailure] = []

    package var isPassed: Bool { failures.isEmpty }

    /// One line of counts, and a block for each entry that differs.
    package var text: String {
        let total = genuine + negatives + traps
        let counts =
            "\(genuine) genuine, \(negatives) negatives, \(traps) traps: "
            + "\(total - failures.count) passed, \(failures.count) failed"
        return ([counts] + failures.map(\.text)).joined(separator: "\n\n")
    }
}

/// An entry of which something differs.
package struct VectorFailure: Sendable {
    package let id: String

    /// `genuine`, `negative` or `trap`.
    package let list: String
    package let differences: [VectorDifference]

    package var text: String {
        (["\(id) (\(list))"]
            + differences.flatMap {
                ["  \($0.member)", "    expected: \($0.expected)", "    got:      \($0.got)"]
            }).joined(separator: "\n")
    }
}

/// One member of an entry that is not as expected.
package struct VectorDifference: Sendable, Equatable {
    package let member: String
    package let expected: String
    package let got: String
}
