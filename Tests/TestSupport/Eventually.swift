import Foundation

/// Waits until `condition` holds, at most `seconds`; for what another process or thread does.
package func eventually(
    _ seconds: Double = 20, _ condition: () throws -> Bool
) rethrows -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while Date() < end {
        if try condition() { return true }
        // 2 ms, so that the other one gets the processor.
        poll(nil, 0, 2)
    }
    return try condition()
}

/// The same for what other tasks do, which get the thread meanwhile.
package func eventuallyYielding(_ seconds: Double = 20, _ condition: () -> Bool) async -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while Date() < end {
        if condition() { return true }
        await Task.yield()
        // 1 ms, so that a thread of low priority gets the processor, too.
        poll(nil, 0, 1)
    }
    return condition()
}
