import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// OpenSSL contexts that were set up once and are lent for one operation at a time.
///
/// Setting one up costs as much as hashing a kilobyte, or a tenth of an RSA verification; taking
/// one from the pool costs one atomic exchange, and no thread ever waits for another. Threads are
/// spread over the places; two threads that use the same place at once create a second context and
/// drop it afterwards.
final class ContextPool: Sendable {
    /// Holds an idle context by its address, because pointers are not `Sendable`. OpenSSL does not
    /// bind a context to the thread that created it.
    private final class Place: Sendable {
        private let idle = Atomic<UInt>(0)

        /// Stores `context` and returns the one stored before.
        func exchange(_ context: OpaquePointer?) -> OpaquePointer? {
            OpaquePointer(
                bitPattern: idle.exchange(
                    UInt(bitPattern: context), ordering: .acquiringAndReleasing))
        }
    }

    private static let placesBits = 4

    private let places = (0..<(1 << placesBits)).map { _ in Place() }
    private let make: @Sendable () -> OpaquePointer?
    private let destroy: @Sendable (OpaquePointer) -> Void

    /// - Parameters:
    ///   - make: Sets up a context, or returns nil if OpenSSL cannot.
    ///   - destroy: Frees a context.
    init(
        make: @escaping @Sendable () -> OpaquePointer?,
        destroy: @escaping @Sendable (OpaquePointer) -> Void
    ) {
        self.make = make
        self.destroy = destroy
    }

    deinit {
        for place in places {
            if let context = place.exchange(nil) { destroy(context) }
        }
    }

    /// Calls `body` with a context; returns nil if none can be made.
    @inline(__always)
    func withContext<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        let place = places[Self.placeOfThisThread]
        guard let taken = place.exchange(nil) ?? make() else { return nil }
        let result = body(taken)
        if let other = place.exchange(taken) { destroy(other) }
        return result
    }

    /// The upper bits of Knuth's multiplicative hash, because thread descriptors differ in the
    /// middle bits.
    private static var placeOfThisThread: Int {
        // The descriptor is a number on Linux and a pointer on Darwin.
        #if canImport(Darwin)
        let thread = UInt64(UInt(bitPattern: pthread_self()))
        #else
        let thread = UInt64(pthread_self())
        #endif
        return Int((thread &* 0x9E37_79B9_7F4A_7C15) >> (64 - placesBits))
    }
}
