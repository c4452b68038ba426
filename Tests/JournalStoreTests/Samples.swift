import Bytes
import Journal
import Payments
import Records
import Store

@testable import JournalStore

/// Notifications, submissions and stores that tests start from.
enum Samples {
    static func money(_ minor: Int64, _ currency: String = "MYR") -> Money {
        Money(minor: minor, currency: Currency(currency)!)
    }

    static func payment(
        _ id: String, reference: String? = "REQ-1", transaction: String? = "PAY-1",
        _ status: AttemptStatus = .paid, minor: Int64 = 4200
    ) -> Notification {
        Notification(
            id: id, kind: "payment", status: status.name,
            occurred: Timestamp(microseconds: 1_795_244_398_000_000), reference: reference,
            transaction: transaction, effect: .attempt(status, money(minor)))
    }

    static func refund(
        _ id: String, refund: String = "REF-1", reference: String? = nil,
        transaction: String? = "PAY-1", minor: Int64 = 4200
    ) -> Notification {
        Notification(
            id: id, kind: "refund", status: "succeeded", reference: reference,
            transaction: transaction, effect: .refund(id: refund, .succeeded, money(minor)))
    }

    static func submission(
        _ notification: Notification, endpoint: String = "antom", body: [UInt8]? = nil
    ) -> Submission {
        Submission(
            endpoint: endpoint, provider: "antom", key: "1", notification: notification,
            request: RecordedRequest(
                method: "POST", target: Array("/ipn/antom".utf8)[...],
                headers: [
                    Header(
                        name: Array("client-id".utf8)[...], value: Array("SANDBOX_1".utf8)[...])
                ], body: body ?? Array(#"{"id":"\#(notification.id)"}"#.utf8)),
            peer: "203.0.113.7", received: Timestamp(microseconds: 1_795_244_400_123_456))
    }

    /// Small segments, prepared when they are needed: a test decides when the disk is full.
    static var options: JournalStoreOptions {
        var options = JournalStoreOptions()
        options.journal.recordBytesMax = 16 << 10
        options.journal.frameBytesMax = 64 << 10
        options.journal.segmentBytes = 128 << 10
        options.journal.preparesInBackground = false
        options.snapshotRecords = 0
        // Tests count syncs: no idle marker comes between, however slow the machine.
        options.idleMarkerSeconds = 3600
        return options
    }

    static func store(
        on storage: MemoryStorage, _ options: JournalStoreOptions = Samples.options,
        environment: StoreEnvironment = .init()
    ) throws -> JournalStore {
        try JournalStore(
            directory: "journal", storage: storage, options: options, environment: environment)
    }
}
