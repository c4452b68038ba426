import Foundation
import TestSupport
import Testing

/// A language of the examples in config/api.md and config/fulfilment.md, with a shop whose database
/// is the file `state.json`: decisions and position, replaced as a whole.
///
/// With the file `steps`, the shop ends the program at two of three calls of `apply`: before it has
/// written, and after.
struct ExampleLanguage {
    let name: String
    let program: String
    let file: String
    /// The file for `decide`, and its language on the page.
    let decide: (file: String, name: String)
    /// The file of the shop.
    let shop: String

    /// Toolchains are found in `PATH`, not among the system's programs.
    var path: String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return installedProgram(program)
            ?? folders.map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Reports the languages that are not installed and so not tested.
    static let names = all.filter { language in
        if language.path == nil { print("SKIPPED: \(language.program) is not installed") }
        return language.path != nil
    }.map(\.name)

    /// Writes the consumer and its shop to a folder and compiles them if necessary.
    func consumer(in folder: TemporaryFolder, totals: [String: String]) throws -> [String] {
        let program = try #require(path)
        let example = try folder.write(
            file, Self.code(name, of: "config/api.md", after: "## A consumer"))
        let rules = try folder.write(
            decide.file,
            Self.code(decide.name, of: "config/fulfilment.md", after: "## The function"))
        let shop = try folder.write(
            shop, SourceTree.text("Tests/Examples/shops/\(shop)"))
        try folder.write(
            "totals.json", String(decoding: JSONEncoder().encode(totals), as: UTF8.self))
        guard name == "swift" else {
            try folder.write("package.json", #"{"type": "module"}"#)
            return [program, example]
        }
        let compiled = folder.file("consumer")
        let result = try run(
            program, ["-swift-version", "6", "-o", compiled, example, rules, shop])
        try #require(result.status == 0, "\(result.errors)")
        return [compiled]
    }

    /// The first example of a language on a page, after a heading.
    static func code(_ language: String, of page: String, after heading: String) throws -> String {
        let parts = try SourceTree.text(page).components(separatedBy: "\n\(heading)\n")
        let text = try #require(parts.last)
        let start = try #require(text.range(of: "\n```\(language)\n"), "\(page): \(language)")
        let end = try #require(text[start.upperBound...].range(of: "\n```"))
        return text[start.upperBound..<end.lowerBound] + "\n"
    }

    /// What the shop has decided: `ship` or `hold` and the cause, by endpoint and name.
    static func decisions(in folder: TemporaryFolder) -> [String: String] {
        (state(in: folder)["decisions"] as? [String: String]) ?? [:]
    }

    /// The last event whose decision is stored.
    static func position(in folder: TemporaryFolder) -> Int {
        let position = state(in: folder)["position"] as? [String: Any]
        return position?["after"] as? Int ?? 0
    }

    private static func state(in folder: TemporaryFolder) -> [String: Any] {
        guard let text = try? folder.text("state.json") else { return [:] }
        let value = try? JSONSerialization.jsonObject(with: Data(text.utf8))
        return value as? [String: Any] ?? [:]
    }
}
