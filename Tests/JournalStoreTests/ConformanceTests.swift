import StoreConformance
import Testing

@testable import JournalStore

/// The embedded store keeps what every store promises.
@Suite struct ConformanceTests {
    @Test(arguments: StoreCheck.all)
    func `it keeps the promise`(check: StoreCheck) async throws {
        let storage = MemoryStorage()
        try await check.run { try Samples.store(on: storage) }
    }
}
