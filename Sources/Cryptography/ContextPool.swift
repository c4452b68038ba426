import Synchronization

/// OpenSSL contexts that were set up once and are lent out for one operation at a time.
///
/// Setting one up costs as much as hashing a kilobyte, or a tenth of an RSA verification; taking
/// one from here costs one uncontended lock. There are never more contexts than there were threads
/// inside `withContext` at one moment.
final class ContextPool: Sendable {
    /// `@unchecked Sendable` is sound: a context is either in `idle`, where the mutex guards it, or
    /// on the stack of the one thread that took it out. OpenSSL binds no context to the thread that
    /// made it.
    private struct Context: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private let idle = Mutex<[Context]>([])
    private let make: @Sendable () -> OpaquePointer?
    private let destroy: @Sendable (OpaquePointer) -> Void

    /// - Parameters:
    ///   - make: Sets up a context, or returns nil when OpenSSL cannot.
    ///   - destroy: Frees one.
    init(
        make: @escaping @Sendable () -> OpaquePointer?,
        destroy: @escaping @Sendable (OpaquePointer) -> Void
    ) {
        self.make = make
        self.destroy = destroy
    }

    deinit {
        idle.withLock { contexts in
            for context in contexts { destroy(context.pointer) }
            contexts = []
        }
    }

    /// Lends a context to `body`, and returns nil when there is none and none can be made.
    @inline(__always)
    func withContext<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        let taken = idle.withLock { $0.popLast() } ?? make().map { Context(pointer: $0) }
        guard let taken else { return nil }
        let result = body(taken.pointer)
        idle.withLock { $0.append(taken) }
        return result
    }
}
