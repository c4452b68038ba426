import Testing

@testable import Delivery

struct AttemptOutcomeTests {
    @Test func `only a complete 2xx answer is a success`() {
        #expect(AttemptOutcome(status: 204, latencyMicroseconds: 1).isSuccess)
        #expect(!AttemptOutcome(status: 302, latencyMicroseconds: 1).isSuccess)
        #expect(
            !AttemptOutcome(.reset, status: 200, latencyMicroseconds: 1).isSuccess)
    }

    @Test func `every outcome has a reason code`() {
        #expect(AttemptOutcome(status: 200, latencyMicroseconds: 1).reason == "delivered")
        #expect(AttemptOutcome(status: 503, latencyMicroseconds: 1).reason == "status_503")
        #expect(AttemptOutcome(.timeout, latencyMicroseconds: 1).reason == "timeout")
    }
}
