import Platform

/// Waits until `condition` holds, at most `seconds`.
func eventually(_ seconds: Int = 20, _ condition: () -> Bool) async -> Bool {
    let end = MonotonicTime.now().advanced(seconds: seconds)
    while MonotonicTime.now() < end {
        if condition() { return true }
        await Task.yield()
    }
    return condition()
}

/// How many seconds `body` takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = MonotonicTime.now()
    try body()
    return Double(MonotonicTime.now().nanoseconds - start.nanoseconds) / 1e9
}
