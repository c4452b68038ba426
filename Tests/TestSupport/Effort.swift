import Foundation

/// The share of long deterministic tests that is run: a third, spread over all cases, or everything
/// with `IPND_TEST_EFFORT=all`. The same cases are run each time.
package enum Effort {
    package static let isWhole =
        ProcessInfo.processInfo.environment["IPND_TEST_EFFORT"] == "all"
    /// One of this many cases is run.
    package static let stride = isWhole ? 1 : 3

    /// Number of cases run out of `count`.
    package static func share(of count: Int) -> Int { (count + stride - 1) / stride }

    /// The cases that are run: the first one and every third after it.
    package static func share<Cases: Sequence>(of cases: Cases) -> [Cases.Element] {
        cases.enumerated().filter { $0.offset.isMultiple(of: stride) }.map(\.element)
    }
}
