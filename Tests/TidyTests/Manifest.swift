import Foundation

/// The modules as declared in Package.swift, which defines the allowed imports.
struct Manifest: Sendable {
    /// The modules that each module may import.
    let imports: [String: Set<String>]

    static let package: Manifest = {
        let root = TidyTests.root
        let file = root.appendingPathComponent("Package.swift")
        let folders = try? FileManager.default.contentsOfDirectory(atPath: root.path + "/Sources")
        return Manifest(
            text: (try? String(contentsOf: file, encoding: .utf8)) ?? "", folders: folders ?? [])
    }()

    /// - Parameter folders: The folders of Sources. Targets elsewhere are tests.
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
        // The other dependencies are packages with one product of the same name.
        self.imports = imports.filter { ours.contains($0.key) }.mapValues { $0.intersection(ours) }
    }
}
