import Foundation
import TestSupport
import Testing

/// A process with a low descriptor limit: connections are closed or refused before the journal or
/// the admin API fail.
@Suite(.ownThreads) struct DescriptorBudgetTests {
    /// Runs with a hard limit of `count` descriptors.
    private static func limit(_ count: Int) -> [String] {
        ["/bin/sh", "-c", "ulimit -Sn \(count) && ulimit -Hn \(count) && exec \"$0\" \"$@\""]
    }

    @Test func `idle connections leave the journal the files that it needs`() throws {
        let instance = try Instance(
            edit: {
                $0.replacingOccurrences(
                    of: "journal: {directory: journal}", with: Instance.tinySegments
                ).replacingOccurrences(
                    of: "bodyBytesMax: 262144",
                    with: "bodyBytesMax: 262144, connectionsPerPeerMax: 100000")
            }, wrapper: Self.limit(256))
        #expect(eventually { instance.logText.contains("connectionsMax 10000") })
        #expect(instance.says("256 files"))
        // More connections than descriptors; those beyond the limit are refused or displaced.
        var idle: [Client] = []
        for _ in 0..<400 { if let client = try? instance.client() { idle.append(client) } }
        // Segments are rotated meanwhile, with snapshots.
        let webhook = try SignedWebhook(instance)
        var stored = 0
        for number in 0..<60 {
            let accepted = try eventually {
                let client = try instance.client()
                guard (try? client.send(webhook.request("FD-\(number)", padding: 100_000))) != nil,
                    let answer = try? client.receive()
                else { return false }
                return answer.status == 200
            }
            if accepted { stored += 1 }
        }
        #expect(stored == 60)
        #expect(try instance.admin().get("/events?limit=1").status == 200)
        #expect(try instance.admin().get("/orders?limit=1").status == 200)
        #expect(idle.count > 300)
        #expect(instance.stop() == 0)
        #expect(try Set(instance.references()).count == 60)
    }

    @Test func `too few files for anything are refused at the start`() throws {
        let instance = try Instance(starts: false)
        let finished = try refusedStart(instance.configurationFile, wrapper: Self.limit(64))
        #expect(finished.status == 78)
        #expect(finished.errors.contains("64 files"), "\(finished.errors)")
    }
}
