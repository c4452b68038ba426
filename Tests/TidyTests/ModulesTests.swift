import Testing

/// Imports point downward only. Package.swift lists the allowed imports of each module, and the
/// table in Sources/README.md shows the layers.
@Suite struct ModulesTests {
    @Test func `every folder of sources is in the package`() {
        let folders = Set(TidyTests.sources.map(\.module))
        #expect(folders.subtracting(Manifest.package.imports.keys) == [])
        #expect(Manifest.package.imports["Receiver"]?.contains("Providers") == true)
    }

    @Test func `every import is declared`() {
        let ours = Set(Manifest.package.imports.keys)
        for source in TidyTests.sources {
            let declared = Manifest.package.imports[source.module] ?? []
            for name in source.imports where ours.contains(name) {
                #expect(declared.contains(name), "\(source.path) imports \(name)")
            }
        }
    }

    @Test func `the table of modules shows the layers`() throws {
        let page = try #require(Page.all.first { $0.path == "Sources/README.md" })
        let rows = page.lines.map(\.text)
            .drop { $0 != "## Modules" }.dropFirst().prefix { !$0.hasPrefix("## ") }
            .filter { $0.hasPrefix("| `") }
        let layers = rows.flatMap { row in
            row.split(separator: "|")[0].matches(of: #/`(\w+)`/#).map { String($0.1) }
        }
        #expect(layers.count == Set(layers).count, "a module is in the table twice")
        let apart = Set(layers).symmetricDifference(Manifest.package.imports.keys)
        #expect(apart == [], "in the table or in Package.swift only")
        for (place, module) in layers.enumerated() {
            let above = Manifest.package.imports[module, default: []].intersection(
                layers.prefix(place))
            #expect(above.isEmpty, "\(module) imports \(above), which the table has above it")
        }
    }

    /// Programs that tests run and do not import, and C code that runs when it is loaded.
    private static let notImported: Set<String> = ["ipnd", "ipnd-bench", "CTestSupport"]

    @Test func `every dependency of a target is imported by one of its files`() {
        #expect(Manifest.package.targets.count > 60)
        for target in Manifest.package.targets {
            let imports = Set(
                (TidyTests.sources + TidyTests.tests)
                    .filter { $0.path.hasPrefix("\(target.folder)/") }.flatMap(\.imports))
            for name in Self.unused(target.dependencies, imports) {
                Issue.record("\(target.name) depends on \(name), which none of its files imports")
            }
        }
    }

    private static func unused(_ dependencies: [String], _ imports: Set<String>) -> [String] {
        dependencies.filter { !notImported.contains($0) && !imports.contains($0) }
    }

    @Test func `the check of dependencies finds an unused one`() throws {
        let manifest = Manifest(
            text: """
                module(
                    "X", ["Bytes", .product(name: "Yams", package: "yams")])
                tests("X", ["X", "JSON"])
                .executableTarget(
                    name: "x-bench", dependencies: ["X", "HTTP"], path: "Tests/Bench")
                """, folders: [])
        #expect(manifest.targets.map(\.folder) == ["Sources/X", "Tests/XTests", "Tests/Bench"])
        #expect(manifest.targets.map(\.dependencies)[0] == ["Bytes", "Yams"])
        let source = TidyTests.Source(
            path: "Sources/X/X.swift", text: "@testable import X\nimport struct JSON.JSONValue\n")
        for (target, unused) in zip(manifest.targets, [["Bytes", "Yams"], [], ["HTTP"]]) {
            #expect(Self.unused(target.dependencies, Set(source.imports)) == unused)
        }
    }
}
