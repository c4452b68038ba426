import Platform

/// How many seconds `body` takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = MonotonicTime.now()
    try body()
    return Double(MonotonicTime.now().nanoseconds - start.nanoseconds) / 1e9
}
