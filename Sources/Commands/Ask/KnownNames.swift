import Console
import Payments
import ServerConfiguration
import Store

// ArgumentParser has a `Flag`, too, so this file does not import it.

/// Checks of names on the command line. Without them, a mistyped name gives an empty list, which
/// looks like good news.
enum KnownNames {
    /// Every flag that an order can have.
    static let flags = Payments.Flag.allCases.map(\.rawValue) + [Overdue.flag]

    /// The message about an endpoint without results; nil if the configuration has it or cannot be
    /// read. An endpoint that was removed from the configuration may still have orders, so this is
    /// only for empty results.
    static func complaint(ofEndpoint name: String, inFile file: String) -> String? {
        let known = Configuration.endpointNames(inFile: file)
        guard !known.isEmpty, !known.contains(name) else { return nil }
        return complaint("endpoint", name, among: known)
    }

    static func complaint(_ kind: String, _ name: String, among known: [String]) -> String {
        // The name may come from outside, and is printed on a terminal.
        let shown = TextTable.printable(String(name.prefix(60)))
        return "there is no \(kind) “\(shown)”; \(Suggestion.remedy(for: name, among: known))"
    }
}
