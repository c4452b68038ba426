import Foundation
import GRDB
import Payments
import Store
import TestSupport
import Testing

@testable import JournalIndex

/// Whatever is in the index's file, reading it ends with orders or with an error.
@Suite final class IndexDamageTests {
    private let folder = TemporaryFolder()
    private var directory: String { folder.path }
    private var path: String { OrderIndex.path(in: directory) }

    private static func record(_ sequence: Int) -> [UInt8] {
        Array(
            """
            {"schema":1,"sequence":\(sequence),"received":"2026-11-21T07:00:00Z",\
            "endpoint":"antom","provider":"antom","key":"1","outcome":"recorded","flags":[],\
            "event":{"id":"E","expectation":{"amount":{"minor":5,"currency":"MYR"},\
            "metadata":{"a":1}}},\
            "order":{"reference":"R-\(sequence)","status":"paid","transaction":"T-\(sequence)",\
            "amount":{"minor":4200,"currency":"MYR"},"refunded":{"minor":0,"currency":"MYR"}}}
            """.utf8)
    }

    private func fill(_ index: OrderIndex, orders count: Int) throws {
        try index.database.write { database in
            let writer = try IndexWriter(database)
            for sequence in 1...count {
                try Self.record(sequence).withUnsafeBytes { try writer.put($0) }
            }
        }
    }

    /// SQLite keeps any value in any column, and a flipped bit makes one of another type.
    @Test(arguments: [
        "first = first, created = 'x'", "last = 'x'", "endpoint = x'ff'", "status = x'ff'",
        "flags = x'ff'", "minor = 'x'", "currency = 'my'",
        "expectedMinor = 5, expectedCurrency = 'MYr'",
        "expires = 'soon'", "metadata = '{'", "reference = x'ff'", "updated = x'00'",
    ])
    func `a value that was never put there is damage`(_ change: String) async throws {
        let index = try OrderIndex(directory: directory, journal: directory, clock: ManualClock())
        try fill(index, orders: 3)
        #expect(try await index.page(OrderQuery(), limit: 10).orders.count == 3)
        try await index.database.write {
            try $0.execute(sql: "UPDATE orders SET \(change) WHERE first = 2")
        }
        let error = await #expect(throws: (any Error).self) {
            try await index.page(OrderQuery(), limit: 10)
        }
        #expect(error.map(IndexDamage.isReported) == true)
    }

    /// Any three bits: the index is rebuilt, or all that is read from it is valid.
    @Test(arguments: 1...60)
    func `flipped bits never end the process`(seed: UInt64) async throws {
        try fill(
            try OrderIndex(directory: directory, journal: directory, clock: ManualClock()),
            orders: 200)
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        for _ in 0..<3 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes[Int(state >> 33) % bytes.count] ^= 1 << UInt8(state >> 20 & 7)
        }
        IndexFiles.remove(path)
        try Data(bytes).write(to: URL(filePath: path))
        let index = try OrderIndex(directory: directory, journal: directory, clock: ManualClock())
        do {
            let count = try await index.page(OrderQuery(), limit: 1000).orders.count
            #expect(count == 0 || count == 200)
        } catch {
            #expect(IndexDamage.isReported(by: error), "\(error)")
        }
    }

    @Test func `a full disk is no damage`() {
        for code in [ResultCode.SQLITE_FULL, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_BUSY] {
            #expect(!IndexDamage.isReported(by: DatabaseError(resultCode: code)))
        }
        for code in [ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_IOERR_SHORT_READ] {
            #expect(IndexDamage.isReported(by: DatabaseError(resultCode: code)))
        }
    }

    /// A mapped file that is truncated raises SIGBUS.
    @Test func `no file of the index is mapped`() throws {
        let index = try OrderIndex(directory: directory, journal: directory, clock: ManualClock())
        try fill(index, orders: 3)
        // Its reported size is 0, so it is read to its end.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
        let maps = String(decoding: try #require(try file.readToEnd()), as: UTF8.self)
        #expect(maps.contains("[stack]"))
        #expect(!maps.contains(directory))
        #expect(index.isInPlace)
    }
}
