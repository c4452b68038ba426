import Foundation
import Testing

/// Time is passed in: `Platform.Clock` in the program, `ManualClock` in tests.
@Suite struct TimeTidyTests {
    /// Expressions that ask the kernel for the time, or sleep.
    private static let kernelTime = [
        "MonotonicTime.now()", "WallClock.", "Task.sleep", "usleep(", "nanosleep(",
        "ContinuousClock", "SuspendingClock", "Date()", "timeIntervalSinceNow", "clock_gettime",
    ]

    /// Files of the program that may use them, with the reason.
    private static let sourcesWithKernelTime: [String: String] = [:]

    @Test func `only platform asks the kernel for the time`() {
        for source in TidyTests.sources where source.module != "Platform" {
            guard Self.sourcesWithKernelTime[source.path] == nil else { continue }
            for found in Self.findings(Self.kernelTime, in: source) { Issue.record("\(found)") }
        }
    }

    /// The real clock is created in the wiring and passed down; elsewhere it is at most a
    /// parameter's default.
    @Test func `only the wiring takes the system's clock`() {
        for source in TidyTests.sources where !["Platform", "Commands"].contains(source.module) {
            for found in Self.findings(["SystemClock()"], in: source, but: "= SystemClock()") {
                Issue.record("\(found)")
            }
        }
    }

    /// Expressions that make a test wait for real time, or limit it.
    private static let realTime = [
        "sleep(", "ContinuousClock", "SuspendingClock", "DispatchTime", "asyncAfter",
        "clock_gettime", "timeLimit(",
    ]

    /// Test files that may use them, with the reason.
    private static let testsWithRealTime: [String: String] = [:]

    @Test func `no test depends on real time`() {
        for source in TidyTests.tests where source.module != "TidyTests" {
            guard Self.testsWithRealTime[source.path] == nil else { continue }
            for found in Self.findings(Self.realTime, in: source) { Issue.record("\(found)") }
        }
    }

    @Test func `every exception is still needed`() {
        let all = TidyTests.sources + TidyTests.tests
        let words = Self.realTime + Self.kernelTime
        for path in Array(Self.testsWithRealTime.keys) + Array(Self.sourcesWithKernelTime.keys) {
            let source = all.first { $0.path == path }
            let isNeeded = source.map { !Self.findings(words, in: $0).isEmpty } ?? false
            #expect(isNeeded, "\(path)")
        }
    }

    @Test func `the check finds what it must`() {
        let planted = TidyTests.Source(
            path: "Tests/X/X.swift",
            text: "let limit = 3\ntry await Task.sleep(for: limit)\n// sleep( in a comment\n")
        #expect(Self.findings(Self.realTime, in: planted).count == 1)
    }

    private static func findings(
        _ words: [String], in source: TidyTests.Source, but exempt: String = "clock.sleep("
    ) -> [String] {
        guard source.mentions(words) else { return [] }
        return source.lines.enumerated().compactMap { number, line in
            let code = line.split(separator: "//", omittingEmptySubsequences: false).first ?? ""
            // Sleeping on a manual clock is allowed.
            let bare = code.replacingOccurrences(of: exempt, with: "")
                .replacingOccurrences(of: "func sleep(", with: "")
                .replacingOccurrences(of: "loop.sleep(", with: "")
            guard let word = words.first(where: { bare.contains($0) }) else { return nil }
            return "\(source.path):\(number + 1) has \(word)"
        }
    }
}
