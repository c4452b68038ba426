import TestSupport
import Testing

/// `ipnd fill`, which `scripts/bench` makes its histories with.
@Suite(.ownThreads) struct FillCommandTests {
    /// Nobody says there when a row of submissions ends, so none may wait for it: the last row is
    /// nearly always a short one.
    @Test(arguments: [1, 3, 200])
    func aHistoryIsRecordedToItsEnd(count: Int) throws {
        let instance = try Instance(starts: false)
        // What hangs ends with status 124.
        let filled = try run(
            "/usr/bin/timeout",
            [
                "60", Binary.ipnd, "fill", "--config", instance.configurationFile, "--endpoint",
                "citcon", "--count", "\(count)",
            ])
        #expect(filled.status == 0, "\(filled.errors)")
        #expect(Int(filled.output.filter(\.isNumber)) != nil, "the growth: \(filled.output)")
        let records = try instance.records()
        #expect(records.count == count)
        #expect(Set(records.map { "\($0["order"] ?? "")" }).count == count)
    }
}
