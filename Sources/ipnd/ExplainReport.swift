import Configuration
import Simulator

/// What `ipnd explain` says to people.
enum ExplainReport {
    static func text(_ explanation: Explanation, endpoint: EndpointConfiguration) -> String {
        var lines: [String] = []
        if let unknown = explanation.unknownPath {
            lines += ["\(unknown.sentence).", "  remedy:  \(unknown.remedy)", ""]
        }
        if let refusal = explanation.refusal {
            lines.append(
                "\(endpoint.name) (\(endpoint.system)) "
                    + (explanation.unknownPath == nil ? "refuses" : "would refuse")
                    + " it: \(refusal.reason), \(refusal.detail)")
            lines += explanation.notes.map { "note: \($0)" }
            lines += explanation.findings.flatMap { finding in
                [
                    "", "It would verify, if \(finding.sentence).",
                    "  changed: \(TextTable.printable(finding.detail))",
                    "  remedy:  \(finding.remedy)",
                ]
            }
            if explanation.findings.isEmpty {
                lines += [
                    "",
                    "None of \(explanation.hypothesesTried) hypotheses "
                        + "(\(explanation.variationsTried) variations) makes it verify. Either it "
                        + "is not from the provider, or its key is not here (--key FILE tries "
                        + "another one), or more than one thing was changed.",
                ]
            }
        } else if explanation.unknownPath != nil {
            lines.append(
                "\(endpoint.name) (\(endpoint.system)) would accept it: its signature verifies there."
            )
            lines += explanation.notes.map { "note: \($0)" }
        } else {
            lines.append(
                "\(endpoint.name) (\(endpoint.system)) accepts it with the present configuration: "
                    + "keys or paths were corrected since, or it was changed after it was captured."
            )
            lines += explanation.notes.map { "note: \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}
