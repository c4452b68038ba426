/// Notices the end of a flood of connections. What they took is free then, but glibc keeps it for
/// the process unless it is asked to give it back.
struct ConnectionPeak {
    /// Fewer take so little that asking is not worth it: some 10 MiB.
    static let connectionsMin = 1000

    private var peak = 0

    mutating func rose(to count: Int) { peak = max(peak, count) }

    /// Whether a flood has ended: three of four connections are gone. True once for each.
    mutating func fell(to count: Int) -> Bool {
        guard peak >= Self.connectionsMin, count <= peak / 4 else { return false }
        peak = count
        return true
    }
}
