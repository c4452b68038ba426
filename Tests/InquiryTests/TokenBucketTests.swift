import Testing

@testable import Inquiry

@Suite struct TokenBucketTests {
    @Test func `the rate is kept over time`() {
        var bucket = TokenBucket(perSecond: 5, now: 0)
        var taken = 0
        for now in stride(from: Int64(0), to: 60_000_000, by: 10_000)
        where bucket.take(now: now) == nil {
            taken += 1
        }
        #expect((299...301).contains(taken))
    }

    /// Restarts do not get around the limit.
    @Test func `a bucket starts with one token and holds those of a second`() {
        var bucket = TokenBucket(perSecond: 5, now: 0)
        #expect(bucket.take(now: 0) == nil)
        #expect(bucket.take(now: 0) == 0.2)
        var taken = 0
        while bucket.take(now: 3_600_000_000) == nil { taken += 1 }
        #expect(taken == 5)
    }

    @Test func `a rate below one per second is possible`() {
        var bucket = TokenBucket(perSecond: 0.1, now: 0)
        #expect(bucket.take(now: 0) == nil)
        #expect(bucket.take(now: 5_000_000) == 5)
        #expect(bucket.take(now: 10_000_000) == nil)
    }

    /// A provider's pause counts for all except a person.
    @Test func `a requested pause is kept`() {
        var bucket = TokenBucket(perSecond: 5, now: 0)
        bucket.rest(seconds: 30, now: 1_000_000)
        bucket.rest(seconds: 1, now: 2_000_000)
        #expect(bucket.take(now: 2_000_000) == 29)
        #expect(bucket.borrow(now: 2_000_000) == nil)
        #expect(bucket.take(now: 30_999_999) == 0.000_001)
        #expect(bucket.take(now: 31_000_000) == nil)
    }

    /// A person does not wait; the schedule waits longer instead.
    @Test func `borrowed tokens are missing afterwards, and bounded`() {
        var bucket = TokenBucket(perSecond: 5, now: 0)
        for _ in 1...11 { #expect(bucket.borrow(now: 0) == nil) }
        #expect(bucket.borrow(now: 0) == 0.2)
        #expect(bucket.borrow(now: 200_000) == nil)
        // The schedule waits until the debt is made up.
        #expect(bucket.take(now: 200_000) == 2.2)
        var taken = 0
        for now in stride(from: Int64(0), to: 60_000_000, by: 10_000)
        where bucket.borrow(now: 200_000 + now) == nil { taken += 1 }
        #expect((299...301).contains(taken))
    }
}
