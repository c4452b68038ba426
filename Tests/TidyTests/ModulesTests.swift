import Testing

/// Imports point downward only. Package.swift lists the allowed imports of each module, and the
/// table in Sources/README.md shows the layers.
@Suite struct ModulesTests {
    @Test func everyFolderOfSourcesIsInThePackage() {
        let folders = Set(TidyTests.sources.map(\.module))
        #expect(folders.subtracting(Manifest.package.imports.keys) == [])
        #expect(Manifest.package.imports["Receiver"]?.contains("Providers") == true)
    }

    @Test func everyImportIsDeclared() {
        let ours = Set(Manifest.package.imports.keys)
        for source in TidyTests.sources {
            let declared = Manifest.package.imports[source.module] ?? []
            for name in source.imports where ours.contains(name) {
                #expect(declared.contains(name), "\(source.path) imports \(name)")
            }
        }
    }

    @Test func theTableOfModulesShowsTheLayers() throws {
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
}
