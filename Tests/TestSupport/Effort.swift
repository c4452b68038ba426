import Foundation

/// How much is tried of what is long and deterministic: a third, spread over all of it, or with
/// `IPND_TEST_EFFORT=all` everything. Either is the same in every run.
package enum Effort {
    package static let isWhole =
        ProcessInfo.processInfo.environment["IPND_TEST_EFFORT"] == "all"
    /// Of so many cases one is tried.
    package static let stride = isWhole ? 1 : 3

    /// How many of `count` cases are tried.
    package static func share(of count: Int) -> Int { (count + stride - 1) / stride }

    /// The seeds or cases of a row that are tried: the first one and every third.
    package static func share<Cases: Sequence>(of cases: Cases) -> [Cases.Element] {
        cases.enumerated().filter { $0.offset.isMultiple(of: stride) }.map(\.element)
    }
}
