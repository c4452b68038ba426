import Platform

/// A page in the Prometheus text exposition format, version 0.0.4.
package struct MetricsPage {
    package private(set) var text = ""

    package init() {}

    package mutating func family(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    package mutating func sample(
        _ name: String, _ labels: [(String, String)] = [], _ value: some BinaryInteger
    ) {
        sample(name, labels, text: "\(value)")
    }

    package mutating func sample(
        _ name: String, _ labels: [(String, String)] = [], text value: String
    ) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0)=\"\(Self.escaped($1))\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(value)\n"
    }

    /// Writes a gauge with one sample for each value of `label`.
    package mutating func gauge(
        per label: String, _ name: String, _ help: String, _ values: [(String, Int)]
    ) {
        family(name, "gauge", help)
        for (text, value) in values { sample(name, [(label, text)], value) }
    }

    /// Writes the samples of a histogram; `text` converts a value to the metric's unit.
    package mutating func histogram(
        _ name: String, _ labels: [(String, String)] = [], _ counts: HistogramCounts,
        _ text: (Int) -> String
    ) {
        var total = 0
        for (index, count) in counts.counts.enumerated() {
            total += count
            let bound = index < counts.bounds.count ? text(counts.bounds[index]) : "+Inf"
            sample("\(name)_bucket", labels + [("le", bound)], total)
        }
        sample("\(name)_sum", labels, text: text(counts.sum))
        sample("\(name)_count", labels, total)
    }

    /// Microseconds as decimal seconds, exactly.
    package static func seconds(micros: UInt64) -> String {
        let rest = String(micros % 1_000_000)
        var fraction = String(repeating: "0", count: 6 - rest.count) + rest
        while fraction.last == "0", fraction.count > 1 { fraction.removeLast() }
        return "\(micros / 1_000_000).\(fraction)"
    }

    private static func escaped(_ value: String) -> String {
        var result = ""
        for character in value {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
        return result
    }
}
