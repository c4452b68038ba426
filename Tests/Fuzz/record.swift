import Payments

@testable import Records

// Fuzzes the record reader: a record is rejected or read, also by the fast path. The result,
// written again, reads the same: by the general path, and by the fast path if it applies.

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

private func quick(_ bytes: [UInt8]) -> ReplayedEvent? {
    bytes.withUnsafeBytes { ReplayedEvent(quickly: $0) }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecord(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    _ = quick(bytes)
    do throws(RecordError) {
        var event = try RecordDecoder.event(bytes)
        let request = try RecordDecoder.request(bytes)
        // The writer counts from 1 and writes no expectation together with a request.
        guard event.sequence > 0 else { return 0 }
        event.registered = nil
        let again = written(event, request)
        precondition((try? RecordDecoder.event(again)) == event)
        precondition((try? RecordDecoder.request(again)) == request)
        if let quick = quick(again) {
            var general = ReplayedEvent(event)
            general.received = quick.received
            precondition(quick == general)
        }
    } catch {
        precondition(!error.reason.isEmpty)
    }
    return 0
}
