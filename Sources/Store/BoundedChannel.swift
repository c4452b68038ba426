import Glibc

/// Hands values from one thread to another, in order; whoever is ahead waits.
///
/// `@unchecked Sendable`: every stored property below `mutex` is read and written only while it is
/// locked.
final class BoundedChannel<Element: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let capacity: Int
    private var elements: [Element] = []
    private var isClosed = false

    init(capacity: Int) {
        self.capacity = capacity
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Waits for room and adds a value. Values after `close` are dropped.
    func send(_ element: Element) {
        pthread_mutex_lock(mutex)
        while elements.count >= capacity && !isClosed { pthread_cond_wait(changed, mutex) }
        if !isClosed { elements.append(element) }
        pthread_mutex_unlock(mutex)
        pthread_cond_broadcast(changed)
    }

    /// Waits for the next value; nil when the channel was closed and all have been taken.
    func receive() -> Element? {
        pthread_mutex_lock(mutex)
        while elements.isEmpty && !isClosed { pthread_cond_wait(changed, mutex) }
        let element = elements.isEmpty ? nil : elements.removeFirst()
        pthread_mutex_unlock(mutex)
        pthread_cond_broadcast(changed)
        return element
    }

    /// No value comes any more.
    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_mutex_unlock(mutex)
        pthread_cond_broadcast(changed)
    }
}
