import Synchronization

/// The spans that wait to be sent. When it is full, new ones are dropped and counted, so that a
/// collector that does not answer costs a bounded amount of memory, and never the intake's time.
package final class SpanQueue: Sendable {
    /// Counters of the spans so far.
    package struct Figures: Sendable, Equatable {
        /// Spans that ended, those that were dropped included.
        package var ended = 0
        /// Spans that were dropped because the queue was full.
        package var dropped = 0
        /// Spans that wait.
        package var waiting = 0
    }

    private struct State: ~Copyable {
        var spans: [FinishedSpan] = []
        var figures = Figures()
    }

    private let state = Mutex(State())
    private let spansMax: Int
    private let batchMax: Int
    private let onBatch: @Sendable () -> Void

    /// - Parameters:
    ///   - spansMax: Spans that wait at most.
    ///   - batchMax: Spans that ``take()`` returns at most.
    ///   - onBatch: Called when a whole batch waits.
    package init(
        spansMax: Int, batchMax: Int, onBatch: @escaping @Sendable () -> Void = {}
    ) {
        self.spansMax = spansMax
        self.batchMax = batchMax
        self.onBatch = onBatch
    }

    /// Adds a span, or drops it.
    func add(_ span: FinishedSpan) {
        let isWhole = state.withLock { state in
            state.figures.ended += 1
            guard state.spans.count < spansMax else {
                state.figures.dropped += 1
                return false
            }
            state.spans.append(span)
            return state.spans.count % batchMax == 0
        }
        if isWhole { onBatch() }
    }

    /// Removes the oldest spans, one batch at most.
    package func take() -> [FinishedSpan] {
        state.withLock { state in
            let batch = Array(state.spans.prefix(batchMax))
            state.spans.removeFirst(batch.count)
            return batch
        }
    }

    package var figures: Figures {
        state.withLock { state in
            var figures = state.figures
            figures.waiting = state.spans.count
            return figures
        }
    }
}
