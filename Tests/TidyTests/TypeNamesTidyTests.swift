import Testing

/// A type name has one meaning: no two modules declare the same one at file scope.
@Suite struct TypeNamesTidyTests {
    /// Names that two modules declare, with the reason. The aim is an empty list.
    private static let exceptions: [String: String] = [:]

    @Test func `every type name belongs to one module`() {
        let doubles = Self.doubles(TidyTests.sources)
        for (name, modules) in doubles where Self.exceptions[name] == nil {
            Issue.record("\(name) is declared in \(modules.sorted().joined(separator: " and "))")
        }
        for name in Self.exceptions.keys {
            #expect(doubles[name] != nil, "\(name) has one meaning now; remove the exception")
        }
    }

    @Test func `the check finds what it must`() {
        let sources = [
            TidyTests.Source(
                path: "Sources/A/A.swift",
                text: "package struct Order {}\nprivate enum Row {\n    struct Inner {}\n}\n"),
            TidyTests.Source(
                path: "Sources/B/B.swift",
                text: "final class Order {}\ntypealias Row = Int\nstruct Inner {}\n"),
            TidyTests.Source(path: "Sources/B/C.swift", text: "extension Order {}\n"),
        ]
        #expect(Self.doubles(sources) == ["Order": ["A", "B"], "Row": ["A", "B"]])
    }

    /// The modules of each type name that more than one declares.
    private static func doubles(_ sources: [TidyTests.Source]) -> [String: Set<String>] {
        var modules: [String: Set<String>] = [:]
        for source in sources {
            for line in source.lines {
                guard let name = declaredType(line) else { continue }
                modules[name, default: []].insert(source.module)
            }
        }
        return modules.filter { $0.value.count > 1 }
    }

    private static let kinds: Set<Substring> = [
        "struct", "enum", "class", "actor", "protocol", "typealias",
    ]
    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private", "final", "indirect",
        "nonisolated",
    ]

    /// The name of the type that a line declares at file scope.
    private static func declaredType(_ line: Substring) -> String? {
        guard let first = line.first, first.isLetter || first == "@" else { return nil }
        let words = line.split(separator: " ").drop { $0.hasPrefix("@") || modifiers.contains($0) }
        guard let kind = words.first, kinds.contains(kind), let name = words.dropFirst().first
        else { return nil }
        return String(name.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }
}
