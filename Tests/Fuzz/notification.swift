import Payments
import ProviderFixtures

// Each provider interprets any authentic body as one notification, always the same. If the body is
// not understood, nothing counts. It never traps, because a retry would deliver the same bytes.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNotification(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    for fixture in ProviderFixture.all {
        let readings = fixture.readings(bytes)
        precondition(readings == fixture.readings(bytes))
        for notification in readings {
            precondition(!notification.id.isEmpty)
            if notification.flags.contains(.notUnderstood) {
                precondition(notification.effect == .none || notification.effect == .doubt)
            }
        }
    }
    return 0
}
