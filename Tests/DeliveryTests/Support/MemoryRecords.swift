import Store
import Synchronization

/// A store's feed in memory.
final class MemoryRecords: RecordSource {
    let identity: String?
    let commitFeed = CommitFeed()
    private let records = Mutex<[RecordPage.Record]>([])

    init(identity: String = "00000000000000000000000000000001") { self.identity = identity }

    func append(_ orders: [String], status: String = "paid") {
        let last = records.withLock { records in
            for reference in orders {
                let sequence = UInt64(records.count + 1)
                records.append(
                    RecordPage.Record(
                        sequence: sequence, bytes: Self.record(sequence, reference, status)))
            }
            return UInt64(records.count)
        }
        if commitFeed.publish(last, []) { commitFeed.announce() }
    }

    static func record(_ sequence: UInt64, _ reference: String, _ status: String) -> [UInt8] {
        Array(
            (#"{"schema":1,"sequence":\#(sequence),"received":"2026-11-21T07:00:00.000000Z","#
                + #""endpoint":"antom","provider":"antom","key":"1","outcome":"recorded","#
                + #""flags":[],"event":{"id":"e\#(sequence)","kind":"payment","#
                + #""status":"\#(status)"},"order":{"reference":"\#(reference)","#
                + #""status":"\#(status)"},"request":{"method":"POST"}}"#).utf8)
    }

    func lastSequence(expecting sequence: UInt64) async throws(ReadFailure) -> UInt64 {
        UInt64(records.withLock { $0.count })
    }

    func page(
        after: UInt64, through last: UInt64, limit: Int, bytesMax: Int
    ) async throws(ReadFailure) -> RecordPage {
        var page = RecordPage(after: after)
        for record in records.withLock({ Array($0[Int(after)..<Int(last)].prefix(limit)) }) {
            page.append(record)
            if page.byteCount >= bytesMax { break }
        }
        return page
    }
}
