import Console
import Explain
import ServerConfiguration

/// The text output of `ipnd explain`.
struct ExplainReport {
    let terminal: Terminal

    /// Columns of the names below a cause.
    private static let nameWidth = 11

    func text(_ explanation: Explanation, endpoint: EndpointConfiguration) -> String {
        var lines: [String] = []
        if let unknown = explanation.unknownPath {
            lines += ["\(unknown.sentence).", "  remedy:  \(unknown.remedy)", ""]
        }
        if let method = explanation.wrongMethod {
            lines += [
                "the method is \(TextTable.printable(method)): the server answers 405, "
                    + "whatever the signature is.",
                "  remedy:  Providers send notifications with POST. A redirect on the way turns "
                    + "it into GET: let the provider call the address that it leads to.", "",
            ]
        }
        if let refusal = explanation.refusal {
            lines.append(
                "\(endpoint.name) (\(endpoint.system)) "
                    + (explanation.unknownPath == nil ? "refuses" : "would refuse")
                    + " it: \(refusal.reason), \(refusal.detail)")
            lines += explanation.notes.map { "note: \($0)" }
            lines += explanation.findings.flatMap { finding in
                [
                    "", "Likely cause: \(finding.sentence).",
                    "  changed: \(TextTable.printable(finding.detail))",
                    "  remedy:  \(finding.remedy)",
                ]
            }
            if explanation.findings.isEmpty {
                lines += ["", Explanation.likelyTitle]
                lines += explanation.likely.enumerated().map { "  \($0 + 1). \($1)" }
            }
        } else if explanation.unknownPath != nil || explanation.wrongMethod != nil {
            lines.append(
                "\(endpoint.name) (\(endpoint.system)) would accept it: its signature verifies "
                    + "there."
            )
            lines += explanation.notes.map { "note: \($0)" }
        } else {
            lines.append(
                "\(endpoint.name) (\(endpoint.system)) accepts it with the present configuration: "
                    + "keys or paths were corrected since, or the capture was edited."
            )
            lines += explanation.notes.map { "note: \($0)" }
        }
        return lines.map(styled).joined(separator: "\n")
    }

    private func styled(_ line: String) -> String {
        for name in ["  changed:", "  remedy:"] where line.hasPrefix(name) {
            return terminal.named(line, nameWidth: Self.nameWidth)
        }
        for name in ["Likely cause:", "note:"] where line.hasPrefix(name) {
            return terminal.named(line, nameWidth: name.count)
        }
        return terminal.wrapped(line, indent: 2)
    }
}
