import Platform

/// The clock of a simulated cluster. Its threads wait by taking turns (`FaultyDatabase.rest`), and
/// nothing else waits for it.
struct SimulatedClock: Clock {
    let database: FaultyDatabase

    var now: MonotonicTime { database.now }
    var wallMicroseconds: Int64 { Int64(now.nanoseconds / 1000) }
    var coarseWallSeconds: Int { Int(now.nanoseconds / 1_000_000_000) }

    func sleep(until deadline: MonotonicTime) async throws {
        preconditionFailure("no task takes part in a simulation")
    }

    func kernelTime(of deadline: MonotonicTime) -> MonotonicTime { .never }

    func onMove(_ wake: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)? { nil }
}

extension FaultyDatabase {
    package var clock: any Clock { SimulatedClock(database: self) }
}
