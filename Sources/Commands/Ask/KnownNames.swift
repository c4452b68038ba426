import Configuration
import Payments
import Simulator
import Store

// ArgumentParser has a `Flag`, too: files that import it cannot name ours.

/// Names that somebody may mistype on the command line. A list that is empty because of a slip of
/// the hand looks like good news.
enum KnownNames {
    /// Every flag that an order can have.
    static let flags = Payments.Flag.allCases.map(\.rawValue) + [Overdue.flag]

    /// What to say of an endpoint that nothing was found for; nil when the configuration has it, or
    /// cannot be read. One of an earlier configuration may still have orders.
    static func complaint(ofEndpoint name: String, inFile file: String) -> String? {
        let known = Configuration.endpointNames(inFile: file)
        guard !known.isEmpty, !known.contains(name) else { return nil }
        return complaint("endpoint", name, among: known)
    }

    static func complaint(_ kind: String, _ name: String, among known: [String]) -> String {
        // The word may have come from anywhere, and goes to a terminal.
        let shown = TextTable.printable(String(name.prefix(60)))
        return "there is no \(kind) “\(shown)”; \(Suggestion.remedy(for: name, among: known))"
    }
}
