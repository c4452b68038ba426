import Platform

/// Hands values from one thread to another, in order; whoever is ahead waits.
final class BoundedChannel<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var isClosed = false
    }

    private let capacity: Int
    private let state = Monitor(State())

    init(capacity: Int) { self.capacity = capacity }

    /// Waits for room and adds a value. Values after `close` are dropped.
    func send(_ element: Element) {
        state.wait { [capacity] state in
            if state.isClosed { return .go(()) }
            if state.elements.count >= capacity { return .wait(until: .never) }
            state.elements.append(element)
            return .go(())
        }
        state.wakeAll()
    }

    /// Waits for the next value; nil when the channel was closed and all have been taken.
    func receive() -> Element? {
        let element: Element? = state.wait { state in
            if !state.elements.isEmpty { return .go(state.elements.removeFirst()) }
            return state.isClosed ? .go(nil) : .wait(until: .never)
        }
        state.wakeAll()
        return element
    }

    /// No value comes any more.
    func close() {
        state.withLock { $0.isClosed = true }
        state.wakeAll()
    }
}
