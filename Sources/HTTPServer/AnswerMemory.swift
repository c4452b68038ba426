import Synchronization

/// The bytes of answers that wait for clients to take them, on all connections of a server. Bytes
/// that several of them wait for are counted once: they are one array.
///
/// Beyond the limit the client that has let its answer wait longest is dropped. An answer that the
/// socket takes at once, or a small one, never comes here.
package final class AnswerMemory: Sendable {
    /// What every connection may hold without asking.
    static let freeBytes = 16_384

    private struct Wait {
        let number: UInt64
        let arrays: [UInt]
        let drop: @Sendable (UInt64) -> Void
    }

    private struct State: ~Copyable {
        var bytesMax: Int
        var bytes = 0
        /// By the address of its bytes, how many wait for an array, and how large it is.
        var arrays: [UInt: (waits: Int, bytes: Int)] = [:]
        /// The oldest first, which is by number.
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

    /// A reload's new limit, from the next answer on.
    func set(bytesMax: Int) { state.withLock { $0.bytesMax = bytesMax } }

    /// Bytes that wait now.
    var heldBytes: Int { state.withLock { $0.bytes } }

    /// Clients that were dropped since the start.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Counts the bytes of `pieces` until `release` is called with the number that this returns;
    /// 0 for few bytes, which are not counted. Nil when they alone are more than the limit.
    ///
    /// - Parameter drop: called with the number when the client has been chosen to be dropped; its
    ///   bytes are not counted any more.
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
                // The array lives until `release`, and so does its address.
                let address = piece.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
                addresses.append(address)
                let waits = state.arrays[address]?.waits ?? 0
                if waits == 0 { state.bytes += piece.count }
                state.arrays[address] = (waits + 1, piece.count)
            }
            state.waits.append(Wait(number: number, arrays: addresses, drop: drop))
            // The newest fits by itself, so it is never its own victim.
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

    /// The pieces have been taken, or are no longer waited for.
    func release(_ number: UInt64) {
        guard number > 0 else { return }
        state.withLock { state in
            // Its place, by bisection.
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
