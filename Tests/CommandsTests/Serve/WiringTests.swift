import JournalStore
import Platform
import ServerConfiguration
import Testing

@testable import Commands

@Suite struct WiringTests {
    private static let changes: [(name: String, change: @Sendable (inout Configuration) -> Void)] =
        [
            ("listeners", { $0.listeners.removeAll() }),
            ("loops", { $0.loops += 1 }),
            (
                "admin",
                { if let other = SocketAddress("127.0.0.1:9999") { $0.admin?.address = other } }
            ),
            ("admin", { $0.admin = nil }),
            ("index", { $0.indexDirectory += "2" }),
            ("rejections", { $0.rejections.countMax += 1 }),
            ("the queue's limits", { $0.queue.queueBytesMax += 1 }),
        ]

    @Test(arguments: changes.indices)
    func `a change that needs a restart is named`(index: Int) {
        let started = Sandbox.configuration
        var fresh = started
        Self.changes[index].change(&fresh)
        #expect(started.differenceThatNeedsRestart(fresh) == Self.changes[index].name)
    }

    @Test func `a journal elsewhere needs a restart`() throws {
        var fresh = Sandbox.configuration
        var journal = try #require(fresh.journal)
        journal.directory += "2"
        fresh.storage = .journal(journal)
        #expect(Sandbox.configuration.differenceThatNeedsRestart(fresh) == "journal")
    }

    @Test func `tokens, limits, endpoints and the log change at a reload`() {
        var fresh = Sandbox.configuration
        fresh.admin?.token = Array("another".utf8)
        fresh.limits.bodyBytesMax += 1
        fresh.endpoints.removeLast()
        fresh.log.level = .debug
        #expect(Sandbox.configuration.differenceThatNeedsRestart(fresh) == nil)
    }

    @Test(arguments: [1, 16, 64])
    func `a segment holds two frames, and a frame two records`(mebibytes: Int) throws {
        var configuration = Sandbox.configuration
        var settings = try #require(configuration.journal)
        settings.segmentMiB = mebibytes
        configuration.storage = .journal(settings)
        let options = JournalStoreOptions(configuration).journal
        #expect(options.segmentBytes == mebibytes << 20)
        #expect(options.frameBytesMax <= options.segmentBytes / 2)
        #expect(options.recordBytesMax <= options.frameBytesMax / 2)
    }
}
