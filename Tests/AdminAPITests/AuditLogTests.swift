import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AdminAPI

@Suite struct AuditLogTests {
    private let folder = TemporaryFolder()
    private let clock = ManualClock()

    private var trail: String { "\(folder.path)/audit" }

    private func log(
        retainDays: Int = 400, bytesMax: Int = 1 << 30, fileBytesMax: Int = 4 << 20
    ) -> AuditLog {
        AuditLog(
            folder: trail, bounds: .init(retainDays: retainDays, bytesMax: bytesMax),
            fileBytesMax: fileBytesMax, clock: clock)
    }

    private func look(_ who: String, _ order: String) -> AuditEntry {
        AuditEntry(.readOrder, by: who, role: .admin, from: "10.0.0.1", on: order, result: 200)
    }

    private func act(_ number: Int) -> AuditEntry {
        AuditEntry(.pause, by: "alice", role: .operator, from: "10.0.0.1", on: "erp-\(number)")
    }

    private func entries() -> [AuditEntry] {
        AuditTrail.newest(in: trail, limit: 10_000).reversed()
    }

    @Test func `entries are chained across restarts and files`() {
        for round in 0..<5 {
            let log = log(fileBytesMax: 600)
            for number in 0..<4 { #expect(log.add(act(4 * round + number))) }
        }
        #expect(entries().map(\.on) == (0..<20).map { "erp-\($0)" })
        #expect(entries().map(\.number) == (1...20).map(UInt64.init))
        #expect(AuditTrail.files(in: trail).count > 3)
        #expect(AuditTrail.verify(trail).problems == [])
        #expect(AuditTrail.verify(trail).entries == 20)
    }

    @Test(arguments: ["changed", "removed", "swapped"])
    func `a line that is not as it was written is found`(_ kind: String) throws {
        let log = log()
        for number in 0..<5 { log.add(act(number)) }
        let file = "\(trail)/\(AuditTrail.files(in: trail)[0])"
        var lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        switch kind {
        case "changed": lines[2] = lines[2].replacing("alice", with: "carol")[...]
        case "removed": lines.remove(at: 2)
        default: lines.swapAt(1, 2)
        }
        try (lines.joined(separator: "\n") + "\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
        #expect(!AuditTrail.verify(trail).problems.isEmpty)
    }

    @Test func `half a line of a crash is reported and does not stop the trail`() throws {
        log().add(act(1))
        let file = "\(trail)/\(AuditTrail.files(in: trail)[0])"
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(#"{"number":2,"ti"#.utf8))
        try handle.close()
        log().add(act(2))
        #expect(entries().map(\.on) == ["erp-1", "erp-2"])
        let verdict = AuditTrail.verify(trail)
        #expect(verdict.problems.count == 1 && verdict.entries == 2)
    }

    @Test func `the oldest files go beyond the size and the age`() {
        let small = log(bytesMax: 2000, fileBytesMax: 500)
        for number in 0..<40 { small.add(act(number)) }
        let sizes = AuditTrail.files(in: trail).compactMap { AuditTrail.size("\(trail)/\($0)") }
        #expect(sizes.reduce(0, +) <= 2000 + 1000)
        #expect(entries().last?.on == "erp-39")
        #expect(AuditTrail.verify(trail).problems == [])
        // The files are as old as the machine's clock says, and this clock goes on from there.
        let now = Int64(Date().timeIntervalSince1970)
        let later = ManualClock(wallMicroseconds: (now + 3 * 86_400) * 1_000_000)
        let old = AuditLog(
            folder: trail, bounds: .init(retainDays: 2, bytesMax: 1 << 30), fileBytesMax: 500,
            clock: later)
        for number in 40..<43 { old.add(act(number)) }
        #expect(AuditTrail.files(in: trail).count <= 2)
        #expect(entries().last?.on == "erp-42")
    }

    @Test func `a program's looks are counted by the minute`() {
        let log = log()
        for number in 0..<50 { log.add(look("admin", "shop/\(number)"), isProgram: true) }
        #expect(entries().count == 1)
        clock.advance(seconds: Double(AuditLog.repeatSeconds))
        log.add(look("admin", "shop/50"), isProgram: true)
        #expect(entries().map(\.count) == [nil, 49, nil])
        log.add(look("admin", "shop/51"), isProgram: true)
        log.flush()
        #expect(entries().map(\.count) == [nil, 49, nil, 1])
    }

    @Test func `each order that a person opens has an entry`() {
        let log = log()
        for _ in 0..<3 {
            for number in 0..<5 { log.add(look("alice", "shop/\(number)")) }
        }
        #expect(entries().map(\.on) == (0..<5).map { "shop/\($0)" })
        log.flush()
        #expect(entries().dropFirst(5).map(\.count) == [2, 2, 2, 2, 2])
    }

    /// Every client of the port can send wrong tokens, from as many addresses as IPv6 has.
    @Test func `strangers do not push out the entries of others`() {
        let log = log()
        for number in 0..<5000 {
            log.add(AuditEntry(.wrongToken, by: "", from: "2001:db8::\(number)", result: 401))
        }
        #expect(entries().count == AuditLog.strangersMax + 1)
        #expect(entries().last?.remote == "others")
        log.add(look("alice", "shop/1"))
        #expect(entries().last?.who == "alice")
    }

    @Test func `a trail that cannot be written says so and goes on later`() throws {
        let problems = Mutex<[String]>([])
        try "".write(toFile: trail, atomically: true, encoding: .utf8)
        let log = AuditLog(
            folder: trail, bounds: .init(retainDays: 1, bytesMax: 1 << 20), clock: clock
        ) { problem in problems.withLock { $0.append(problem) } }
        #expect(!log.add(look("alice", "shop/1")))
        #expect(problems.withLock { $0.first?.contains(trail) } == true)
        #expect(log.figures.failed == 1)
        try FileManager.default.removeItem(atPath: trail)
        #expect(log.add(look("alice", "shop/1")))
        #expect(entries().count == 1)
    }
}
