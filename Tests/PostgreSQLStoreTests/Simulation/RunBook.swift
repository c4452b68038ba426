import Store

/// The records acknowledged and shown in a run, and the violations noticed at once.
struct RunBook: Sendable {
    private(set) var acknowledged: [(note: Int, sequence: UInt64)] = []
    private(set) var shown: [UInt64: [UInt8]] = [:]
    private(set) var orders: [(reference: String, view: OrderView)] = []
    private(set) var durableSequence: UInt64 = 0
    private(set) var violations: [String] = []
    /// The records of acknowledged erasures.
    private(set) var erasures: [UInt64] = []
    /// The notifications of each request that reports several.
    private let requests: [[Int]]
    /// By reader.
    private var lastShown: [Int: UInt64] = [:]

    init(requests: [[Int]]) { self.requests = requests }

    /// Checks that each request is there as a whole or not at all.
    private mutating func checkRequests(_ survivors: [(sequence: Int64, bytes: [UInt8])]) {
        guard !requests.isEmpty else { return }
        let notes = Set(survivors.compactMap { History.note(in: $0.bytes) })
        for request in requests where !notes.isSuperset(of: request) {
            if !notes.isDisjoint(with: request) {
                add("a failover would leave a part of the request \(request)")
            }
        }
    }

    mutating func add(_ violation: String) { violations.append(violation) }

    mutating func noteDurable(
        _ sequence: UInt64, _ survivors: [(sequence: Int64, bytes: [UInt8])]
    ) {
        checkRequests(survivors)
        durableSequence = max(durableSequence, sequence)
        if sequence > UInt64(survivors.last?.sequence ?? 0) {
            add("\(sequence) is called durable, and a failover would lose it")
        }
    }

    /// - Parameter survivors: The records after a failover at this moment.
    mutating func noteAnswer(
        _ note: Int, _ receipt: Receipt, _ survivors: [(sequence: Int64, bytes: [UInt8])]
    ) {
        checkRequests(survivors)
        guard let sequence = receipt.sequence else { return }
        acknowledged.append((note, sequence))
        if !survivors.contains(where: { History.note(in: $0.bytes) == note }) {
            add("note \(note) is acknowledged as \(receipt.outcome), and a failover would lose it")
        }
    }

    mutating func noteErasure(
        _ receipt: Receipt, _ survivors: [(sequence: Int64, bytes: [UInt8])]
    ) {
        guard let sequence = receipt.sequence else {
            return add("an erasure was answered \(receipt.outcome)")
        }
        erasures.append(sequence)
        if !survivors.contains(where: { $0.sequence == Int64(sequence) }) {
            add("the erasure \(sequence) is acknowledged, and a failover would lose it")
        }
    }

    mutating func noteShown(
        _ what: SimulatedReader.Shown, to reader: Int,
        _ survivors: [(sequence: Int64, bytes: [UInt8])]
    ) {
        checkRequests(survivors)
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
