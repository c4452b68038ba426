import Foundation
import TestSupport
import Testing

/// The event feed: pages, long polls and streams.
@Suite(.ownThreads) struct EventRouteTests {
    private static func sequences(_ answer: HTTPAnswer) throws -> [Int] {
        let events = try #require(try answer.object()["events"] as? [[String: Any]])
        return events.compactMap { $0["sequence"] as? Int }
    }

    private static func deliver(_ references: [String], to instance: Instance) throws {
        let antom = try SandboxProvider("antom", of: instance)
        for reference in references {
            try instance.deliver(antom.delivery(reference: reference).request())
        }
    }

    @Test(arguments: StorageKind.all)
    func `the pages hold every record in order`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        try Self.deliver((1...7).map { "F-\($0)" }, to: instance)
        let admin = try instance.admin()
        var all: [Int] = []
        var next = 0
        while true {
            let answer = try admin.get("/events?after=\(next)&limit=3")
            let page = try Self.sequences(answer)
            next = try #require(try answer.object()["next"] as? Int)
            if page.isEmpty { break }
            all += page
        }
        #expect(all == Array(1...7))
        #expect(next == 7)
        let events = try #require(try admin.get("/events").object()["events"] as? [[String: Any]])
        let records = try instance.records()
        #expect(NSArray(array: events) == NSArray(array: records))
    }

    @Test(arguments: StorageKind.all)
    func `a long poll is answered by the next record`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let admin = try instance.admin()
        #expect(try Self.sequences(admin.get("/events?after=0&wait=1")) == [])
        try admin.send("GET", "/events?after=0&wait=60")
        try Self.deliver(["F-1"], to: instance)
        #expect(try Self.sequences(admin.client.receive()) == [1])
    }

    @Test(arguments: StorageKind.all)
    func `a stream goes on after a restart where it stopped`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        try Self.deliver(["S-1", "S-2"], to: instance)
        let first = try EventReader(instance)
        #expect(try first.ids(2) == [1, 2])
        try Self.deliver(["S-3"], to: instance)
        #expect(try first.ids(1) == [3])
        instance.stop()
        #expect(first.isEnded())
        try instance.start()
        try Self.deliver(["S-4"], to: instance)
        let second = try EventReader(instance, lastEventID: 2)
        #expect(try second.ids(2) == [3, 4])
    }

    @Test(arguments: StorageKind.all)
    func `a silent stream has a heartbeat`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let reader = try EventReader(instance)
        #expect(try reader.next() == ": ipnd events\nretry: 2000")
        #expect(try reader.next() == ":")
    }

    @Test(arguments: StorageKind.all)
    func `a client that has gone is not held any longer`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        #expect(try eventually { try Self.connections(instance) == 0 })
        var readers: [EventReader]? = try (0..<20).map { _ in try EventReader(instance) }
        for reader in readers ?? [] { _ = try reader.next() }
        // The table is read in pieces while other connections open and close.
        #expect(try eventually { try Self.connections(instance) == 20 })
        readers = nil
        #expect(try eventually { try Self.connections(instance) == 0 })
    }

    /// Number of connections that the admin listener has accepted and not closed, from the kernel's
    /// list. (The process has other sockets, such as those to the database.)
    private static func connections(_ instance: Instance) throws -> Int {
        let port = String(instance.adminPort, radix: 16, uppercase: true)
        let local = ":" + String(repeating: "0", count: 4 - port.count) + port
        // The file reports size 0, and `String(contentsOfFile:)` then reads at most one page.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp"))
        let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        var count = 0
        for line in table.split(separator: "\n") {
            let cells = line.split(separator: " ")
            // Established, or closed only by the client.
            if cells.count > 3, cells[1].hasSuffix(local), cells[3] == "01" || cells[3] == "08" {
                count += 1
            }
        }
        return count
    }
}
