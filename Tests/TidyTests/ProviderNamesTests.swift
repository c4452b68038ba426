import Foundation
import Testing

/// A provider is one folder: no other source file names it, so that adding one changes no other
/// file but the registry's list.
@Suite struct ProviderNamesTests {
    /// Public specifications that other modules implement, too, and general words.
    private static let general: Set<String> = ["hmac", "standard-webhooks"]

    /// The names in the configuration, from the descriptors, with the names of their parent
    /// companies' products.
    static let names: Set<String> = {
        var names: Set<String> = ["citcon", "stripe"]
        let pattern = /name: "([a-z-]+)", title: "([^"]+)"/
        for source in TidyTests.sources where source.path.hasSuffix("+Descriptor.swift") {
            for match in source.text.matches(of: pattern) where !general.contains("\(match.1)") {
                names.insert("\(match.1)")
                names.insert(match.2.lowercased())
            }
        }
        return names
    }()

    /// The lines of a source that name a provider.
    static func findings(in source: TidyTests.Source) -> [String] {
        let text = TidyTests.Source(path: source.path, text: source.text.lowercased())
        guard text.mentions(names) else { return [] }
        return source.lines.map(String.init).filter { line in
            let words = line.lowercased()
            return names.contains { name in
                words.ranges(of: name).contains { range in
                    let before = words[..<range.lowerBound].last
                    let after = words[range.upperBound...].first
                    return before?.isLetter != true && after?.isLetter != true
                }
            }
        }
    }

    /// The list of the descriptors, and the library's face, whose example is a real provider's.
    private static let exceptions: Set<String> = [
        "Sources/Providers/ProviderRegistry.swift",
        "Sources/PaymentNotifications/PaymentNotifications.swift",
    ]

    private static func isProviderFolder(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        return parts.count > 3 && parts[1] == "Providers"
            && !["Settings", "Shared", "Inquiry"].contains(parts[2])
    }

    @Test func `no other file names a provider`() {
        let others = TidyTests.sources.filter {
            !Self.isProviderFolder($0.path) && !Self.exceptions.contains($0.path)
        }
        for source in others {
            let lines = Self.findings(in: source)
            #expect(lines.isEmpty, "\(source.path): \(lines.joined(separator: "\n"))")
        }
    }

    @Test func `the names are found`() {
        #expect(Self.names.isSuperset(of: ["antom", "ecommpay", "opp", "citcon-upi"]))
        let source = TidyTests.Source(path: "Sources/X/X.swift", text: "/// such as antom's\n")
        #expect(Self.findings(in: source).count == 1)
        let other = TidyTests.Source(path: "Sources/X/X.swift", text: "let stopped = opposite\n")
        #expect(Self.findings(in: other).isEmpty)
    }
}
