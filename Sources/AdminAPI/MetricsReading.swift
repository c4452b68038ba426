/// The samples of one answer of `/metrics`, read from the Prometheus text format.
package struct MetricsReading: Sendable {
    package struct Sample: Sendable {
        package let name: String
        package let labels: [String: String]
        package let value: Double
    }

    package let samples: [Sample]
    /// The names of the gauges; everything else only grows.
    private let gauges: Set<String>

    package init(_ text: String) {
        let lines = text.split(separator: "\n")
        samples = lines.compactMap(Self.sample)
        gauges = Set(
            lines.filter { $0.hasPrefix("# TYPE ") && $0.hasSuffix(" gauge") }
                .map { String($0.dropFirst("# TYPE ".count).dropLast(" gauge".count)) })
    }

    /// Whether the samples of a name only grow, as those of a counter and of a histogram do.
    package func isCounter(_ name: String) -> Bool { !gauges.contains(name) }

    /// Nil for comments, and for samples in a form that ipnd does not write.
    private static func sample(_ line: Substring) -> Sample? {
        guard !line.hasPrefix("#"), let space = line.lastIndex(of: " "),
            let value = Double(line[line.index(after: space)...])
        else { return nil }
        let series = line[..<space]
        guard let brace = series.firstIndex(of: "{") else {
            return Sample(name: String(series), labels: [:], value: value)
        }
        // Names of endpoints, reasons and destinations contain neither quotes nor commas.
        var labels: [String: String] = [:]
        for pair in series[brace...].dropFirst().dropLast().split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            labels[String(parts[0])] = parts[1].filter { $0 != "\"" }
        }
        return Sample(name: String(series[..<brace]), labels: labels, value: value)
    }

    package func all(_ name: String) -> [Sample] { samples.filter { $0.name == name } }

    /// The value of the first sample of a name; nil where there is none.
    package subscript(_ name: String) -> Double? { all(name).first?.value }

    /// The sum of all samples of a name with these labels.
    package func sum(_ name: String, where labels: [String: String] = [:]) -> Double {
        all(name).filter { sample in labels.allSatisfy { sample.labels[$0] == $1 } }
            .reduce(0) { $0 + $1.value }
    }

    /// The values that a label has among the samples of a name, sorted.
    package func values(of label: String, in name: String) -> [String] {
        Set(all(name).compactMap { $0.labels[label] }).sorted()
    }
}
