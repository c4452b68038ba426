/// Somebody who waits for something to become durable. It ends when nobody holds it any more.
package final class Watch: Sendable {
    /// An element says "look again"; several that come while nobody looks are one. It finishes
    /// when `end` is called or the store is closed.
    package let changes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(whenEnded: @escaping @Sendable () -> Void) {
        (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.onTermination = { _ in whenEnded() }
    }

    deinit { continuation.finish() }

    /// Ends the wait: the deadline has passed, or nobody is interested any more.
    package func end() { continuation.finish() }

    var notifier: AsyncStream<Void>.Continuation { continuation }
}
