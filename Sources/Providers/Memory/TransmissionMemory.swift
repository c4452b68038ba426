import Bytes
import Cryptography
import Synchronization

/// Which body came under each transmission id, for systems whose signature does not bind the body:
/// an id that comes again with other bytes is refused.
///
/// Bounded: the last 500,000 to 1,000,000 ids are known. An older one is known to be old by its
/// signed time.
package final class TransmissionMemory: Sendable {
    /// Keeps an entry beyond the process. It is called in order, one at a time.
    package typealias Keep = @Sendable (_ entry: Entry, _ startsGeneration: Bool) -> Void

    /// Hashes of an id and of the body that came under it.
    package struct Entry: Sendable, Equatable {
        package let id: UInt128
        package let body: UInt128

        package init(id: UInt128, body: UInt128) {
            self.id = id
            self.body = body
        }
    }

    private struct State {
        var present: [UInt128: UInt128] = [:]
        var previous: [UInt128: UInt128] = [:]
        var keep: Keep?
    }

    private let generationMax: Int
    private let state = Mutex(State())

    package init(generationMax: Int = 500_000) { self.generationMax = generationMax }

    /// Whether `body` is the only one that came under `id` so far. It is remembered as that.
    package func admits(_ body: [UInt8], under id: [[UInt8]]) -> Bool {
        let entry = Entry(
            id: Self.hash(id.flatMap { [UInt8](String($0.count).utf8) + [0x3A] + $0 }),
            body: Self.hash(body))
        return state.withLock { state in
            if let known = state.present[entry.id] ?? state.previous[entry.id] {
                return known == entry.body
            }
            add(entry, to: &state)
            return true
        }
    }

    /// Adds entries that were kept, in their order, and keeps later ones by `keep`.
    package func connect(_ entries: some Sequence<Entry>, keep: @escaping Keep) {
        state.withLock { state in
            for entry in entries { add(entry, to: &state) }
            state.keep = keep
        }
    }

    private func add(_ entry: Entry, to state: inout State) {
        let isFull = state.present.count >= generationMax
        if isFull {
            state.previous = state.present
            state.present.removeAll(keepingCapacity: true)
        }
        state.present[entry.id] = entry.body
        state.keep?(entry, isFull)
    }

    private static func hash(_ bytes: [UInt8]) -> UInt128 {
        SHA256.hash(bytes).prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
    }
}
