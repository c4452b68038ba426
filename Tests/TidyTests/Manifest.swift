import Foundation

/// The modules as declared in Package.swift, which defines the allowed imports.
struct Manifest: Sendable {
    /// The modules that each module may import.
    let imports: [String: Set<String>]
    /// All targets with Swift code, tests included.
    let targets: [Target]

    struct Target: Sendable {
        let name: String
        /// From the root of the tree.
        let folder: String
        /// Targets and products.
        let dependencies: [String]
    }

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
        targets = Self.targets(text)
    }

    private static func targets(_ text: String) -> [Target] {
        let plain = [
            (#/\bmodule\(\s*"(\w+)",\s*\[([^\]]*)\]/#, "Sources/", ""),
            (#/\btests\(\s*"(\w+)",\s*\[([^\]]*)\]/#, "Tests/", "Tests"),
        ].flatMap { pattern, folder, suffix in
            text.matches(of: pattern).map { match in
                Target(
                    name: "\(match.1)\(suffix)", folder: "\(folder)\(match.1)\(suffix)",
                    dependencies: names(match.2))
            }
        }
        let pattern =
            #/arget\(\s*name: "([\w-]+)",\s*dependencies: \[([^\]]*)\],\s*path: "([^"]+)"/#
        return plain
            + text.matches(of: pattern).map { match in
                Target(
                    name: String(match.1), folder: String(match.3),
                    dependencies: names(match.2))
            }
    }

    /// The names in a list of dependencies; of a product its own, not its package's.
    private static func names(_ list: Substring) -> [String] {
        list.replacing(#/,\s*package: "[^"]*"/#, with: "").matches(of: #/"([\w-]+)"/#)
            .map { String($0.1) }
    }
}
