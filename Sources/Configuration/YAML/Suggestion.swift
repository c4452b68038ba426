/// Finds what somebody probably meant.
enum Suggestion {
    /// The known word nearest to `word`, if one is near enough to be a slip of the hand: another
    /// case, or one edit for every three letters.
    static func nearest(to word: String, among known: [String]) -> String? {
        let lowered = Array(word.lowercased().unicodeScalars.prefix(100))
        let ranked = known.map { ($0, distance(lowered, Array($0.lowercased().unicodeScalars))) }
        guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
        return best.1 <= max(1, min(lowered.count, best.0.count) / 3) ? best.0 : nil
    }

    /// A remedy that names the nearest known word, or all of them.
    static func remedy(for word: String, among known: [String]) -> String {
        if let nearest = nearest(to: word, among: known) { return "did you mean `\(nearest)`?" }
        return "known: \(known.joined(separator: ", "))"
    }

    /// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var previous = Array(0...right.count)
        for (row, a) in left.enumerated() {
            var current = [row + 1]
            for (column, b) in right.enumerated() {
                var best = min(previous[column + 1] + 1, current[column] + 1)
                best = min(best, previous[column] + (a == b ? 0 : 1))
                if row > 0, column > 0, a == right[column - 1], left[row - 1] == b {
                    best = min(best, before[column - 1] + 1)
                }
                current.append(best)
            }
            (before, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
