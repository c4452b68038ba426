@testable import Journal

extension RecoveryTableTests {
    private static let (older, newer) = ("0000000006.snapshot", "0000000010.snapshot")

    private static func snapshots(
        _ change: @escaping @Sendable (Fixture) -> Void
    ) -> @Sendable () throws -> Fixture {
        {
            let fixture = try Fixture(snapshots: [6, 10])
            change(fixture)
            return fixture
        }
    }

    static let snapshotCases: [Case] = [
        Case(
            row: "P1", what: "two good snapshots", make: snapshots { _ in },
            outcome: .opens(records: 16)),
        Case(
            row: "P1", what: "a good snapshot, and the segments before it gone",
            make: snapshots {
                $0[older] = nil
                $0[first] = nil
                $0.renote { $0.first = 7 }
            }, outcome: .opens(records: 16)),
        Case(
            row: "P2", what: "the newer one is damaged",
            make: snapshots { $0.edit(newer) { $0[3000] ^= 1 } },
            outcome: .opens(records: 16)),
        Case(
            row: "P2", what: "both are damaged",
            make: snapshots {
                $0.edit(newer) { $0[3000] ^= 1 }
                $0[older] = []
            }, outcome: .opens(records: 16)),
        Case(
            row: "P2", what: "one under another's name",
            make: snapshots { $0.rename(newer, to: "0000000012.snapshot") },
            outcome: .opens(records: 16)),
        Case(
            row: "P3", what: "the last segment is gone",
            make: {
                let fixture = try Fixture(snapshots: [14])
                fixture[third] = nil
                return fixture
            }, outcome: .refuses(.snapshotAhead, "0000000014.snapshot", 16)),
        Case(
            row: "P3", what: "the last frame is damaged, but a snapshot knows of it",
            make: {
                let fixture = try Fixture(snapshots: [16])
                fixture.edit(third) { $0[frame2 + 900] ^= 1 }
                return fixture
            }, outcome: .refuses(.snapshotAhead, "0000000016.snapshot", 16)),
        Case(
            row: "P4", what: "a snapshot of another journal",
            make: {
                let fixture = try Fixture()
                let point = SnapshotPoint(sequence: 10, chain: .zero)
                let writer = try SnapshotWriter(
                    directory: CrashWorkload.directory, storage: fixture.storage, point: point,
                    store: fixture.header(first).store)
                for record in 1...10 { try writer.append(section: 1, Fixture.record(record)) }
                try writer.finish()
                return fixture
            }, outcome: .refuses(.snapshotForeign, newer, 16)),
        Case(
            row: "P4", what: "a snapshot that names another journal",
            make: {
                let fixture = try Fixture()
                let writer = try SnapshotWriter(
                    directory: CrashWorkload.directory, storage: fixture.storage,
                    point: SnapshotPoint(sequence: 10, chain: .zero),
                    store: GoldenBytesTests.identity)
                try writer.finish()
                return fixture
            }, outcome: .refuses(.snapshotForeign, newer, 64)),
    ]
}
