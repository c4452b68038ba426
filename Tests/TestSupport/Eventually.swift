import Foundation

/// Waits until `condition` holds, at most `seconds`, for the work of another process or thread.
package func eventually(
    _ seconds: Double = 60, _ condition: () throws -> Bool
) rethrows -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while Date() < end {
        if try condition() { return true }
        // 2 ms, so that the other one gets the processor.
        poll(nil, 0, 2)
    }
    return try condition()
}

/// The same for the work of other tasks, processes and threads: waiting uses no processor time and
/// blocks none of the few threads that all tasks share.
///
/// The condition is checked at least 500 times: on a busy machine, minutes can pass in which this
/// task does not run, nor the work that it waits for.
package func eventuallyYielding(
    _ seconds: Double = 60, _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    var turns = 0
    while turns < 500 || Date() < end {
        if try await condition() { return true }
        await pause(milliseconds: 2)
        turns += 1
    }
    return try await condition()
}

/// Waits for real time on a separate thread.
package func pause(milliseconds: Int32) async {
    await withUnsafeContinuation { continuation in
        Thread.detachNewThread {
            poll(nil, 0, milliseconds)
            continuation.resume()
        }
    }
}
