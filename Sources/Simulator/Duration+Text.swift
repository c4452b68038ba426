extension Duration {
    /// `0 s`, `2 min`, `1 h 10 min`, `3 d`: the two greatest units.
    package var brief: String {
        let seconds = components.seconds
        guard seconds > 0 else {
            let milliseconds = components.attoseconds / 1_000_000_000_000_000
            return milliseconds > 0 ? "\(milliseconds) ms" : "0 s"
        }
        let units: [(Int64, String)] = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")]
        var rest = seconds
        var parts: [String] = []
        for (size, name) in units where rest >= size && parts.count < 2 {
            parts.append("\(rest / size) \(name)")
            rest %= size
        }
        return parts.joined(separator: " ")
    }
}
