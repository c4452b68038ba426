import Foundation
import Providers
import TestSupport
import Testing

/// Damage to the index's files never stops the intake, and lists recover.
@Suite(.ownThreads) struct IndexLossTests {
    private static func deliver(_ numbers: ClosedRange<Int>, to instance: Instance) throws {
        let antom = try SandboxProvider("antom", of: instance)
        let client = try instance.client()
        for number in numbers {
            try client.send(antom.delivery(.paid, reference: "L-\(number)").request())
            try #require(try client.receive().status == 200)
        }
    }

    /// Waits until the list has `count` orders; 503 in the meantime is expected.
    private static func waitForOrders(_ instance: Instance, _ count: Int) throws {
        let admin = try instance.admin()
        let areThere = try eventually {
            let answer = try admin.get("/orders?limit=1000")
            guard answer.status == 200 else {
                #expect(answer.status == 503)
                #expect(answer.code == "index_unavailable")
                #expect(answer.fields["retry-after"] == "5")
                return false
            }
            return (try answer.object()["orders"] as? [Any])?.count == count
        }
        try #require(areThere)
    }

    private static func index(_ instance: Instance) -> String {
        "\(instance.folder)/index/orders.sqlite"
    }

    /// Truncates all files of the index, which would raise SIGBUS if one were mapped, then deletes
    /// them.
    @Test func `an index that is truncated or deleted in use is made anew`() throws {
        let instance = try Instance()
        try Self.deliver(1...20, to: instance)
        try Self.waitForOrders(instance, 20)
        let suffixes = ["", "-wal", "-shm"]
        for suffix in suffixes { _ = truncate(Self.index(instance) + suffix, 0) }
        try Self.deliver(21...30, to: instance)
        try Self.waitForOrders(instance, 30)
        for suffix in suffixes { _ = unlink(Self.index(instance) + suffix) }
        try Self.deliver(31...40, to: instance)
        try Self.waitForOrders(instance, 40)
        #expect(FileManager.default.fileExists(atPath: Self.index(instance)))
        let metrics = try instance.admin().get("/metrics").body
        #expect(metrics.contains("\nipnd_index_rebuilds_total 2\n"))
        #expect(metrics.contains("\nipnd_index_available 1\n"))
        #expect(instance.stop() == 0)
    }

    /// Wrong column types in a file that SQLite considers valid.
    @Test func `values that were never put there end nothing`() throws {
        let instance = try Instance()
        try Self.deliver(1...20, to: instance)
        try Self.waitForOrders(instance, 20)
        #expect(instance.stop() == 0)
        let changed = try run(
            "/usr/bin/env",
            [
                "python3", "-c",
                """
                import sqlite3, sys
                index = sqlite3.connect(sys.argv[1])
                index.execute("UPDATE orders SET created = 'then', flags = x'ff' WHERE first = 7")
                index.commit()
                """, Self.index(instance),
            ])
        try #require(changed.status == 0, "\(changed.errors)")
        try instance.start()
        try Self.waitForOrders(instance, 20)
        #expect(instance.stop() == 0)
    }

    /// If no file can be opened, as on a full or read-only disk, the server starts, accepts
    /// notifications, and reports that it has no index until it has one. The same applies to the
    /// rejection log.
    @Test func `a start without an index is a start`() throws {
        let instance = try Instance(starts: false)
        let folders = ["index", "rejections"].map { "\(instance.folder)/\($0)" }
        for folder in folders { try Data().write(to: URL(fileURLWithPath: folder)) }
        try instance.start()
        try Self.deliver(1...5, to: instance)
        let admin = try instance.admin()
        #expect(try admin.get("/orders").code == "index_unavailable")
        #expect(try admin.get("/orders", accept: "text/csv").code == "index_unavailable")
        #expect(try admin.get("/orders/antom/L-3").status == 200)
        let metrics = try admin.get("/metrics").body
        #expect(metrics.contains("\nipnd_index_available 0\n"))
        #expect(instance.says("lists answer 503"))
        #expect(instance.says("the rejection log is off"))
        for folder in folders { try FileManager.default.removeItem(atPath: folder) }
        try Self.waitForOrders(instance, 5)
        #expect(instance.stop() == 0)
    }
}
