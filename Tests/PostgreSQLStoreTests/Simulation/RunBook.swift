import Store

/// The records acknowledged and shown in a run, and the violations noticed at once.
struct RunBook: Sendable {
    private(set) var acknowledged: [(note: Int, sequence: UInt64)] = []
    private(set) var shown: [UInt64: [UInt8]] = [:]
    private(set) var orders: [(reference: String, view: OrderView)] = []
    private(set) var durableSequence: UInt64 = 0
    private(set) var violations: [String] = []
    /// By reader.
    private var lastShown: [Int: UInt64] = [:]

    mutating func add(_ violation: String) { violations.append(violation) }

    mutating func noteDurable(
        _ sequence: UInt64, _ survivors: [(sequence: Int64, bytes: [UInt8])]
    ) {
        durableSequence = max(durableSequence, sequence)
        if sequence > UInt64(survivors.last?.sequence ?? 0) {
            add("\(sequence) is called durable, and a failover would lose it")
        }
    }

    /// - Parameter survivors: The records after a failover at this moment.
    mutating func noteAnswer(
        _ note: Int, _ receipt: Receipt, _ survivors: [(sequence: Int64, bytes: [UInt8])]
    ) {
        guard let sequence = receipt.sequence else { return }
        acknowledged.append((note, sequence))
        if !survivors.contains(where: { History.note(in: $0.bytes) == note }) {
            add("note \(note) is acknowledged as \(receipt.outcome), and a failover would lose it")
        }
    }

    mutating func noteShown(
        _ what: SimulatedReader.Shown, to reader: Int,
        _ survivors: [(sequence: Int64, bytes: [UInt8])]
    ) {
        switch what {
        case .order(let reference, let view):
            orders.append((reference, view))
            if Int64(view.sequences.max() ?? 0) > survivors.last?.sequence ?? 0 {
                add("\(reference) is shown with \(view.sequences), and a failover would lose it")
            }
        case .record(let sequence, let bytes):
            let last = lastShown[reader] ?? 0
            if sequence != last + 1 { add("record \(sequence) is shown after \(last)") }
            lastShown[reader] = sequence
            shown[sequence] = bytes
            if !survivors.contains(where: { $0.sequence == Int64(sequence) && $0.bytes == bytes }) {
                add("record \(sequence) is shown, and a failover would lose it")
            }
        }
    }
}
