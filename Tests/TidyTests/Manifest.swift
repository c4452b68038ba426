import Foundation

/// Our modules as Package.swift declares them: the one place that says what may import what.
struct Manifest: Sendable {
    /// For each module the ones that it may import.
    let imports: [String: Set<String>]

    static let package: Manifest = {
        let root = TidyTests.root
        let file = root.appendingPathComponent("Package.swift")
        let folders = try? FileManager.default.contentsOfDirectory(atPath: root.path + "/Sources")
        return Manifest(
            text: (try? String(contentsOf: file, encoding: .utf8)) ?? "", folders: folders ?? [])
    }()

    /// - Parameter folders: Those of Sources. Targets elsewhere are no modules but tests.
    init(text: String, folders: [String]) {
        var imports: [String: Set<String>] = [:]
        for match in text.matches(of: #/\.(?:target|systemLibrary)\(\s*name: "(\w+)"/#) {
            imports[String(match.1)] = []
        }
        let lists = [
            #/\bmodule\(\s*"(\w+)",\s*\[([^\]]*)\]/#,
            #/\.executableTarget\(\s*name: "(\w+)",\s*dependencies: \[([^\]]*)\]/#,
        ]
        for match in lists.flatMap({ text.matches(of: $0) }) {
            let own = String(match.2).replacing(#/\.product\([^)]*\)/#, with: "")
            imports[String(match.1)] = Set(own.matches(of: #/"(\w+)"/#).map { String($0.1) })
        }
        let ours = Set(imports.keys).intersection(folders)
        // The others in the lists are packages with one product of their own name.
        self.imports = imports.filter { ours.contains($0.key) }.mapValues { $0.intersection(ours) }
    }
}
