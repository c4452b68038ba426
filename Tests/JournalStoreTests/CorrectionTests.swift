import Foundation
import Journal
import Payments
import Records
import Store
import Testing

@testable import JournalStore

/// A correction counts in place of the record that it names, from then on and whatever reads the
/// journal.
@Suite final class CorrectionTests {
    private let directory = NSTemporaryDirectory() + "ipnd-correction-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private func record(
        _ notifications: [Payments.Notification], snapshotRecords: Int = 0
    ) async throws -> [Receipt] {
        var options = Samples.options
        options.snapshotRecords = snapshotRecords
        options.snapshotClosingRecords = 1
        let store = try JournalStore(directory: directory, options: options)
        var receipts: [Receipt] = []
        for notification in notifications {
            receipts.append(await store.record(Samples.submission(notification)))
        }
        await store.close()
        return receipts
    }

    private func correct(_ changes: [(UInt64, Payments.Notification)]) throws {
        let corrections = changes.map { sequence, notification in
            Correction(
                sequence: sequence, endpoint: "antom", provider: "antom", key: "1",
                notification: notification, received: Timestamp(microseconds: 1))
        }
        let count = try Correction.append(
            corrections, to: directory, options: Samples.options)
        #expect(count == changes.count)
    }

    private func order(_ reference: String) throws -> Order? {
        try RecordedOrders(directory: directory)
            .order(endpoint: "antom", reference: reference)?.order
    }

    /// As the server has it.
    private func served(_ reference: String) async throws -> Order? {
        let store = try JournalStore(directory: directory, options: Samples.options)
        let view = await store.order(endpoint: "antom", reference: reference)
        await store.close()
        return view?.order
    }

    /// The records after `sequence`, as they are written.
    private func records(after sequence: UInt64) throws -> [[String: Any]] {
        var records: [[String: Any]] = []
        var reader = try JournalReader(directory: directory)
        _ = try reader.read { number, record in
            guard number > sequence else { return }
            let object = try JSONSerialization.jsonObject(with: Data(record))
            records.append(try #require(object as? [String: Any]))
        }
        return records
    }

    private func orders(after sequence: UInt64) throws -> [[String: Any]] {
        try records(after: sequence).compactMap { $0["order"] as? [String: Any] }
    }

    /// With a snapshot that holds what is corrected, too.
    @Test(arguments: [0, 1])
    func `the newest correction counts`(snapshotRecords: Int) async throws {
        _ = try await record(
            [Samples.payment("E-1"), Samples.refund("E-2", minor: 1000)],
            snapshotRecords: snapshotRecords)
        for minor: Int64 in [300, 500] {
            try correct([(2, Samples.refund("E-2", minor: minor))])
            #expect(try order("REQ-1")?.refunded == Samples.money(minor))
            #expect(try order("REQ-1")?.flags == [])
            #expect(try await served("REQ-1")?.refunded == Samples.money(minor))
        }
        #expect(try records(after: 2).map { $0["corrects"] as? Int } == [2, 2])
        // A retry, as it is read today, is a repetition.
        let receipts = try await record([Samples.refund("E-2", minor: 500)])
        #expect(receipts.map(Self.isRepetition) == [true], "\(receipts)")
        #expect(try await served("REQ-1")?.refunded == Samples.money(500))
    }

    @Test func `what was an order of its own becomes a part of another`() async throws {
        _ = try await record([
            Samples.payment("E-1"), Samples.refund("E-2", reference: "OWN-2", transaction: nil),
            Samples.refund("E-3", refund: "REF-3", reference: "OWN-3", transaction: nil),
        ])
        var moved = Samples.refund("E-2", minor: 1000)
        moved.alias = "OWN-2"
        moved.flags = [.testMode]
        try correct([
            (2, moved),
            (3, Samples.refund("E-3", refund: "REF-3", reference: "OWN-4", transaction: nil)),
        ])
        #expect(try order("REQ-1")?.refunded == Samples.money(1000))
        #expect(try order("OWN-2")?.reference == "REQ-1")
        #expect(try await served("OWN-2")?.reference == "REQ-1")
        let orders = try orders(after: 3)
        #expect(orders.map { $0["reference"] as? String } == ["REQ-1", "OWN-4"])
        #expect(orders.map { $0["previous"] as? String } == ["paid", "review"])
        #expect(orders.map { $0["absorbed"] as? [String] } == [nil, ["OWN-3"]])
        #expect(try records(after: 3).first?["flags"] as? [String] == ["test_mode"])
    }

    @Test func `what is about no order is taken out of it`() async throws {
        let first = Samples.payment("E-1")
        let other = Samples.payment("E-1", minor: 9900)
        _ = try await record([first, other])
        #expect(try order("REQ-1")?.flags.contains(.conflict) == true)
        var ignored = other
        ignored.effect = .none
        try correct([(2, ignored)])
        #expect(try order("REQ-1")?.flags == [])
        #expect(try await served("REQ-1")?.amount == Samples.money(4200))
        let corrected = try records(after: 2)
        #expect(corrected.map { $0["outcome"] as? String } == ["ignored"])
        #expect(corrected.first?["order"] == nil)
    }

    /// A provider that got no answer sends what it sent before, however it is read today.
    @Test func `the old identity stays known beside the new one`() async throws {
        let sent = Samples.refund("E-2", minor: 4200)
        _ = try await record([Samples.payment("E-1"), sent])
        let read = Samples.refund("E-2:partial", minor: 1000)
        try correct([(2, read)])
        let receipts = try await record([sent, read])
        #expect(receipts.map(Self.isRepetition) == [true, true], "\(receipts)")
        #expect(try await served("REQ-1")?.refunded == Samples.money(1000))
        #expect(try records(after: 3).isEmpty)
    }

    /// An event that contradicted another is read as a separate one, or as about no order: neither
    /// is a reason to doubt the first, nor any retry of the two.
    @Test(arguments: [false, true])
    func `a conflict that is corrected is none any more`(isIgnored: Bool) async throws {
        let first = Samples.payment("E-1")
        let other = Samples.payment("E-1", minor: 9900)
        _ = try await record([first, other])
        #expect(try order("REQ-1")?.flags.contains(.conflict) == true)
        var read = other
        if isIgnored {
            read.effect = .none
        } else {
            read = Samples.refund("E-1:refund", minor: 1000)
        }
        try correct([(2, read)])
        let receipts = try await record([first, other, read])
        #expect(receipts.map(Self.isRepetition) == [true, true, true], "\(receipts)")
        #expect(try records(after: 3).isEmpty)
        let served = try #require(try await served("REQ-1"))
        #expect(served.flags == [] && served.amount == Samples.money(4200))
        #expect(served.refunded?.minor ?? 0 == (isIgnored ? 0 : 1000))
    }

    private static func isRepetition(_ receipt: Receipt) -> Bool {
        if case .duplicate = receipt.outcome { true } else { false }
    }

    /// The flags of a notification are in its own record, also where it is about no order, and
    /// where the order no longer has them.
    @Test func `a correction says its own flags`() async throws {
        let dispute = Payments.Notification(
            id: "E-2", kind: "dispute", status: "open", transaction: "PAY-1",
            effect: .dispute(id: "D-1", .open, Samples.money(4200)))
        _ = try await record([
            Samples.payment("E-1"), dispute, Samples.payment("E-3"), Samples.payment("E-4"),
        ])
        var chargeback = Samples.payment("E-3")
        chargeback.flags = [.unverifiedChargeback]
        var ignored = Samples.payment("E-4")
        ignored.effect = .none
        ignored.flags = [.unknownKind, .testMode]
        try correct([(3, chargeback), (4, ignored)])
        #expect(try order("REQ-1")?.flags == [])
        #expect(
            try records(after: 4).map { $0["flags"] as? [String] } == [
                ["unverified_chargeback"], ["unknown_kind", "test_mode"],
            ])
    }

    /// A second run of `ipnd journal reread` builds on the first.
    @Test func `a correction knows the earlier ones`() async throws {
        _ = try await record([
            Samples.payment("E-1"), Samples.refund("E-2", refund: "REF-2", minor: 4200),
            Samples.refund("E-3", refund: "REF-3", minor: 3000),
        ])
        for (sequence, minor) in [(2, 1000), (3, 500)] as [(UInt64, Int64)] {
            let name = "E-\(sequence)"
            let refund = Samples.refund(name, refund: "REF-\(sequence)", minor: minor)
            try correct([(sequence, refund)])
        }
        let refunded = try orders(after: 3).map { $0["refunded"] as? [String: Any] }
        #expect(refunded.map { $0?["minor"] as? Int64 } == [4000, 1500])
        // If the corrected record were applied as well, one refund would have two sums.
        #expect(try records(after: 3).map { $0["flags"] as? [String] } == [[], []])
        #expect(try await served("REQ-1")?.refunded == Samples.money(1500))
    }

    @Test func `more than a frame holds is appended in several`() async throws {
        let count = 400
        let told = (0..<count).map { number in
            Samples.payment("E-\(number)", reference: "R-\(number)", transaction: "T-\(number)")
        }
        _ = try await record(told)
        try correct(
            told.enumerated().map { place, payment in
                var failed = payment
                failed.effect = .attempt(.failed, Samples.money(1))
                return (UInt64(place + 1), failed)
            })
        #expect(try order("R-0")?.status == .failed)
        #expect(try order("R-\(count - 1)")?.status == .failed)
    }

    @Test func `only what counts needs a correction`() {
        let recorded = Samples.payment("E-1")
        var read = recorded
        read.occurred = nil
        #expect(!Correction.isNeeded(of: recorded, to: read))
        var corrected = recorded
        corrected.kind = Correction.kind
        #expect(!Correction.isNeeded(of: corrected, to: read))
        read.kind = "refund"
        #expect(Correction.isNeeded(of: recorded, to: read))
    }

    @Test func `a record under another sequence is refused`() async throws {
        _ = try await record([Samples.payment("E-1")])
        var reader = try JournalReader(directory: directory)
        var loader = StoreLoader(factsMax: 10)
        _ = try reader.read { sequence, record in
            #expect(throws: RecordError.self) {
                try loader.replay(record, sequence: sequence + 1)
            }
        }
        _ = loader.finish()
    }
}
