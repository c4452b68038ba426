import Synchronization

/// Limits the memory of answers that clients have not read yet, over all connections of a server.
/// An array that several connections wait to send is counted once.
///
/// Beyond the limit, the client that has left its answer unread the longest is dropped. A small
/// answer, or one that the socket takes at once, is never counted.
package final class AnswerMemory: Sendable {
    /// Bytes that each connection may hold without being counted.
    static let freeBytes = 16_384

    private struct Wait {
        let number: UInt64
        let arrays: [UInt]
        let drop: @Sendable (UInt64) -> Void
    }

    private struct State: ~Copyable {
        var bytesMax: Int
        var bytes = 0
        /// For each array, by the address of its bytes: the number of waits for it, and its size.
        var arrays: [UInt: (waits: Int, bytes: Int)] = [:]
        /// Ordered by number, oldest first.
        var waits: [Wait] = []
        var next: UInt64 = 1
        var dropped = 0

        mutating func leave(_ wait: Wait) {
            for address in wait.arrays {
                guard let array = arrays[address] else { continue }
                if array.waits > 1 {
                    arrays[address] = (array.waits - 1, array.bytes)
                } else {
                    arrays[address] = nil
                    bytes -= array.bytes
                }
            }
        }
    }

    private let state: Mutex<State>

    init(bytesMax: Int) { state = Mutex(State(bytesMax: bytesMax)) }

    /// Sets a reload's new limit, which applies from the next answer.
    func set(bytesMax: Int) { state.withLock { $0.bytesMax = bytesMax } }

    /// Number of bytes that are waiting.
    var heldBytes: Int { state.withLock { $0.bytes } }

    /// Number of clients dropped since the start.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Counts the bytes of `pieces` until `release` is called with the returned number. Returns 0
    /// for few bytes, which are not counted, and nil if `pieces` alone exceed the limit.
    ///
    /// - Parameter drop: Called with the number when this client is chosen to be dropped; its bytes
    ///   are no longer counted then.
    func hold(
        _ pieces: ArraySlice<[UInt8]>, drop: @escaping @Sendable (UInt64) -> Void
    ) -> UInt64? {
        let total = pieces.reduce(0) { $0 + $1.count }
        if total <= Self.freeBytes { return 0 }
        var victims: [Wait] = []
        let number: UInt64? = state.withLock { state in
            guard total <= state.bytesMax else {
                state.dropped += 1
                return nil
            }
            let number = state.next
            state.next += 1
            var addresses: [UInt] = []
            for piece in pieces where !piece.isEmpty {
                // The array lives until `release`, so its address stays valid.
                let address = unsafe piece.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
                addresses.append(address)
                let waits = state.arrays[address]?.waits ?? 0
                if waits == 0 { state.bytes += piece.count }
                state.arrays[address] = (waits + 1, piece.count)
            }
            state.waits.append(Wait(number: number, arrays: addresses, drop: drop))
            // The newest wait fits by itself, so it is never its own victim.
            while state.bytes > state.bytesMax, state.waits.count > victims.count + 1 {
                let victim = state.waits[victims.count]
                state.leave(victim)
                victims.append(victim)
            }
            state.waits.removeFirst(victims.count)
            state.dropped += victims.count
            return number
        }
        for victim in victims { victim.drop(victim.number) }
        return number
    }

    /// Stops counting the pieces of a wait, which were sent or are no longer awaited.
    func release(_ number: UInt64) {
        guard number > 0 else { return }
        state.withLock { state in
            // Bisection by number.
            var (low, high) = (0, state.waits.count)
            while low < high {
                let middle = (low + high) / 2
                if state.waits[middle].number < number { low = middle + 1 } else { high = middle }
            }
            guard low < state.waits.count, state.waits[low].number == number else { return }
            state.leave(state.waits.remove(at: low))
        }
    }
}
