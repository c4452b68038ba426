import Payments

@testable import Records

// A record from a disk is refused or read. What was read is written again, and reads alike; so do
// the parts of it that other readers want.

private func written(_ event: RecordedEvent, _ request: RecordedRequest) -> [UInt8] {
    let origin = RecordOrigin(
        received: event.received, endpoint: event.endpoint, provider: event.provider,
        key: event.key)
    let content = RecordContent(
        sequence: event.sequence, outcome: event.outcome, conflictsWith: event.conflictsWith,
        flags: event.notification.flags, order: nil)
    var bytes: [UInt8] = []
    RecordEncoder.append(
        content, of: event.notification, from: origin, request: request, peer: "", to: &bytes)
    return bytes
}

/// As a start, the index and the feed read it.
private func readParts(_ bytes: [UInt8]) -> RecordedEvent? {
    bytes.withUnsafeBytes { record in
        _ = try? RecordReader(record, [.event, .order, .end]).head
        _ = try? OrderRow(RecordReader(record, [.event, .order]))
        return try? RecordedEvent(RecordReader(record, .event))
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecord(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    _ = readParts(bytes)
    do throws(RecordError) {
        let event = try RecordDecoder.event(bytes)
        let request = try RecordDecoder.request(bytes)
        // The encoder counts from 1 and writes a request with a provider's notification only.
        guard event.sequence > 0, event.hasRequest else { return 0 }
        let again = written(event, request)
        precondition((try? RecordDecoder.event(again)) == event)
        precondition((try? RecordDecoder.request(again)) == request)
        precondition(readParts(again) == event)
    } catch {
        precondition(!error.reason.isEmpty)
    }
    return 0
}
