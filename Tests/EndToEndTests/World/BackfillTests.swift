import Foundation
import TestSupport
import Testing

/// Events that no notification brought are read from the provider's own list.
@Suite(.ownThreads) struct BackfillTests {
    private static let count = 40

    /// Reads the list of all times: the provider's clock runs ahead.
    static func backfill(
        _ world: World, of endpoint: String = "stripe", _ arguments: [String] = []
    ) throws -> (status: Int32, answer: [String: Any], errors: String) {
        let finished = try run(
            Binary.ipnd,
            [
                "backfill", "--json", "--endpoint", endpoint, "--since", "2020-01-01", "--until",
                "2100-01-01", "--config", world.instance.configurationFile,
            ] + arguments)
        let line = finished.output.split(separator: "\n").first ?? "{}"
        let answer = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return (finished.status, answer ?? [:], finished.errors)
    }

    private static func expectTruth(_ world: World) throws {
        let complaints = try world.complaints()
        #expect(complaints == [:])
    }

    static func new(_ answer: [String: Any]) -> Int {
        (answer["recorded"] as? [[String: Any]] ?? []).reduce(0) {
            $0 + ($1["events"] as? Int ?? 0)
        }
    }

    /// Half of the notifications are lost, and then the journal.
    @Test func `every order is what the books say though the disk was lost`() throws {
        let world = try World([
            "--endpoint", "stripe", "--rate", "1000", "--speed", "1200", "--seed", "11",
            "--prefix", "B", "--loss", "0.5", "--repeats", "0.3", "--delay", "60", "--count",
            "\(Self.count)",
        ])
        try #require(try eventually(World.patience) { try world.progress().isOver })
        #expect(try !world.complaints().isEmpty, "nothing was lost: this test sees nothing")

        // Only what is missing is recorded.
        let known = try world.instance.records().count
        let first = try Self.backfill(world)
        #expect(first.status == 0, "\(first.errors)")
        let read = first.answer["read"] as? Int ?? 0
        #expect(Self.new(first.answer) > 0 && Self.new(first.answer) < read && known > 0)
        #expect(first.answer["conflicts"] as? Int == 0)
        #expect(first.errors.contains("30 days"))
        try Self.expectTruth(world)
        let again = try Self.backfill(world)
        #expect(again.status == 0 && Self.new(again.answer) == 0)
        #expect(again.answer["read"] as? Int == read)

        // The same after a crash.
        try world.crash()
        try Self.expectTruth(world)

        // All of it, where nothing is left.
        world.instance.stop()
        try FileManager.default.removeItem(atPath: world.instance.journal)
        try world.instance.start(["--new-journal"])
        let paid = try world.truths().filter { !$0.attempts.isEmpty }
        #expect(try world.complaints().count == paid.count)
        let whole = try Self.backfill(world)
        #expect(whole.status == 0 && Self.new(whole.answer) == read, "\(whole.errors)")
        try Self.expectTruth(world)
        let records = try world.instance.records()
        #expect(
            records.allSatisfy { record in
                let event = record["event"] as? [String: Any]
                return record["inquiry"] != nil && event?["kind"] as? String != "inquiry"
            })

        try world.expectReread()
    }

    @Test func `what cannot be read says so`() throws {
        let world = try World(["--endpoint", "stripe", "--count", "0"])
        let admin = try world.instance.admin()
        let period = "since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z"
        let unlisted = try admin.post("/endpoints/antom/backfill?\(period)", "")
        #expect(unlisted.status == 404 && unlisted.body.contains("events_not_listed"))
        let unknown = try admin.post("/endpoints/none/backfill?\(period)", "")
        #expect(unknown.status == 404 && unknown.body.contains("inquiry_not_configured"))
        for query in ["", "since=2026-01-01T00:00:00Z"] {
            #expect(try admin.post("/endpoints/stripe/backfill?\(query)", "").status == 400)
        }
        #expect(try admin.get("/endpoints/stripe/backfill?\(period)").status == 405)
        let refused = try run(
            Binary.ipnd,
            [
                "backfill", "--endpoint", "stripe", "--config", world.instance.configurationFile,
            ])
        #expect(refused.status == 64 && refused.errors.contains("--days"))
    }
}
