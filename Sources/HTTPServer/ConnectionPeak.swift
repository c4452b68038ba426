/// Detects the end of a flood of connections. glibc keeps the freed memory unless it is asked to
/// return it.
struct ConnectionPeak {
    /// Fewer connections take too little memory to act on: some 10 MiB.
    static let connectionsMin = 1000

    private var peak = 0

    mutating func rose(to count: Int) { peak = max(peak, count) }

    /// Returns true once after a flood, when three of four connections have closed.
    mutating func fell(to count: Int) -> Bool {
        guard peak >= Self.connectionsMin, count <= peak / 4 else { return false }
        peak = count
        return true
    }
}
