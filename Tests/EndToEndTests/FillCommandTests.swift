import TestSupport
import Testing

/// `ipnd-bench fill`, which makes the histories of `scripts/bench`.
@Suite(.ownThreads) struct FillCommandTests {
    /// There is no event loop to end a round, so that no submission may wait for it: the last round
    /// is usually short.
    @Test(arguments: [1, 3, 200])
    func `a history is recorded to its end`(count: Int) throws {
        let instance = try Instance(starts: false)
        // If it hangs, it ends with status 124.
        let filled = try run(
            "/usr/bin/timeout",
            [
                "60", Binary.bench, "fill", "--config", instance.configurationFile, "--endpoint",
                "citcon", "--count", "\(count)",
            ])
        #expect(filled.status == 0, "\(filled.errors)")
        #expect(Int(filled.output.filter(\.isNumber)) != nil, "the growth: \(filled.output)")
        let records = try instance.records()
        #expect(records.count == count)
        #expect(Set(records.map { "\($0["order"] ?? "")" }).count == count)
    }
}
