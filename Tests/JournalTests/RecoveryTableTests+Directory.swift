import Cryptography

@testable import Journal

extension RecoveryTableTests {
    static let directoryCases: [Case] = [
        Case(
            row: "D2", what: "an empty directory",
            make: {
                let fixture = try Fixture()
                for name in Fixture.names + ["identity"] { fixture[name] = nil }
                return fixture
            }, outcome: .opens(records: 0)),
        Case(
            row: "D3", what: "an identity without segments",
            make: {
                let fixture = try Fixture()
                for name in Fixture.names { fixture[name] = nil }
                return fixture
            }, outcome: .refuses(.segmentsMissing, first, 0)),
        Case(
            row: "D6", what: "a flipped bit in the identity",
            make: {
                let fixture = try Fixture()
                fixture.edit("identity") { $0[20] ^= 1 }
                return fixture
            }, outcome: .refuses(.identity, "identity", 0)),
        Case(
            row: "D7", what: "no identity, which the segments carry",
            make: {
                let fixture = try Fixture()
                fixture["identity"] = nil
                return fixture
            }, outcome: .opens(records: 16)),
        Case(
            row: "D3", what: "a snapshot without segments",
            make: {
                let fixture = try Fixture(snapshots: [16])
                for name in Fixture.names { fixture[name] = nil }
                return fixture
            }, outcome: .refuses(.segmentsMissing, first, 0)),
        Case(
            row: "D3", what: "an archive without segments",
            make: {
                let fixture = try Fixture()
                try fixture.storage.makeDirectory("/journal/archive")
                for name in Fixture.names { fixture.rename(name, to: "archive/" + name) }
                return fixture
            }, outcome: .refuses(.segmentsMissing, first, 0)),
        Case(
            row: "D4", what: "files half made",
            make: {
                let fixture = try Fixture()
                fixture["prepared.tmp"] = [1, 2, 3]
                fixture["0000000016.snapshot.tmp"] = []
                return fixture
            }, outcome: .opens(records: 16)),
        Case(
            row: "D5", what: "a copied segment under another name",
            make: {
                let fixture = try Fixture()
                fixture["0000000001 (copy).segment"] = fixture[first]
                return fixture
            }, outcome: .refuses(.segmentName, "0000000001 (copy).segment", 0),
            isSeenByVerifier: false),
    ]

    static let headerCases: [Case] =
        Fixture.names.flatMap { name in
            [
                Case(
                    row: "S1", what: "a flipped bit in the header of \(name)",
                    make: {
                        let fixture = try Fixture()
                        fixture.edit(name) { $0[300] ^= 4 }
                        return fixture
                    }, outcome: .refuses(.segmentHeader, name, 0)),
                Case(
                    row: "S1", what: "\(name) is empty",
                    make: {
                        let fixture = try Fixture()
                        fixture[name] = []
                        return fixture
                    }, outcome: .refuses(.segmentHeader, name, 0)),
                Case(
                    row: "S1", what: "\(name) is all zeros",
                    make: {
                        let fixture = try Fixture()
                        fixture.edit(name) { $0 = Bytes.zeros($0.count) }
                        return fixture
                    }, outcome: .refuses(.segmentHeader, name, 0)),
                Case(
                    row: "S2", what: "\(name) is of version 2",
                    make: {
                        let fixture = try Fixture()
                        fixture.edit(name) { bytes in
                            bytes[8] = 2
                            let sum = CRC32C.checksum(Array(bytes[..<508]))
                            for index in 0..<4 {
                                bytes[508 + index] = UInt8(truncatingIfNeeded: sum >> (8 * index))
                            }
                        }
                        return fixture
                    }, outcome: .refuses(.segmentVersion, name, 8)),
                Case(
                    row: "S4", what: "\(name) is cut short",
                    make: {
                        let fixture = try Fixture()
                        fixture.edit(name) { $0.removeLast(1000) }
                        return fixture
                    }, outcome: .refuses(.segmentSize, name, 7192)),
                Case(
                    row: "S4", what: "\(name) is too long",
                    make: {
                        let fixture = try Fixture()
                        fixture.edit(name) { $0 += [0] }
                        return fixture
                    }, outcome: .refuses(.segmentSize, name, 8192)),
            ]
        } + [
            Case(
                row: "S3", what: "a renamed segment",
                make: {
                    let fixture = try Fixture()
                    fixture.rename(second, to: "0000000008.segment")
                    return fixture
                }, outcome: .refuses(.segmentRenamed, "0000000008.segment", 24)),
            // Found by `scripts/fuzz 60 frames`: the writer counted back from zero.
            Case(
                row: "S3", what: "a segment before the first record",
                make: {
                    let fixture = try Fixture()
                    fixture.reseal(first) { $0.firstSequence = 0 }
                    fixture.rename(first, to: "0000000000.segment")
                    return fixture
                }, outcome: .refuses(.segmentHeader, "0000000000.segment", 24)),
            Case(
                row: "S3", what: "a segment at the end of all numbers",
                make: {
                    let fixture = try Fixture()
                    for name in [second, third] { fixture[name] = nil }
                    fixture.reseal(first) { $0.firstSequence = .max }
                    fixture.rename(first, to: "18446744073709551615.segment")
                    return fixture
                }, outcome: .refuses(.segmentHeader, "18446744073709551615.segment", 24)),
            Case(
                row: "S5", what: "the second segment is gone",
                make: {
                    let fixture = try Fixture()
                    fixture[second] = nil
                    return fixture
                }, outcome: .refuses(.segmentMissing, third, 16)),
            Case(
                row: "S6", what: "a segment that begins too late",
                make: {
                    let fixture = try Fixture()
                    fixture.reseal(second) { $0.firstSequence = 8 }
                    fixture.rename(second, to: "0000000008.segment")
                    return fixture
                }, outcome: .refuses(.sequence, "0000000008.segment", 24)),
            Case(
                row: "S7", what: "a segment of another chain",
                make: {
                    let fixture = try Fixture()
                    fixture.reseal(third) { $0.chain = .zero }
                    return fixture
                }, outcome: .refuses(.chain, third, 48)),
            Case(
                row: "S8", what: "the first segment is gone",
                make: {
                    let fixture = try Fixture()
                    fixture[first] = nil
                    return fixture
                }, outcome: .refuses(.segmentMissing, second, 16)),
            Case(
                row: "S9", what: "a middle segment of another journal",
                make: {
                    let fixture = try Fixture()
                    fixture.reseal(second) { $0.store = GoldenBytesTests.identity }
                    return fixture
                }, outcome: .refuses(.segmentForeign, second, 88)),
            Case(
                row: "S9", what: "a segment from before its identity was renewed",
                make: {
                    let fixture = try Fixture()
                    fixture.renote {
                        $0.former = [$0.store]
                        $0.store = GoldenBytesTests.identity
                    }
                    return fixture
                }, outcome: .opens(records: 16)),
            Case(
                row: "S10", what: "the first segment is gone, and retention did not take it",
                make: {
                    let fixture = try Fixture(snapshots: [6, 10])
                    fixture[first] = nil
                    return fixture
                }, outcome: .refuses(.segmentMissing, second, 16)),
            Case(
                row: "S8", what: "the first segment is in the archive",
                make: {
                    let fixture = try Fixture()
                    try fixture.storage.makeDirectory("/journal/archive")
                    fixture.rename(first, to: "archive/" + first)
                    return fixture
                }, outcome: .opens(records: 16)),
        ]
}
