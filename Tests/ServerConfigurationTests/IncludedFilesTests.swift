import Foundation
import TestSupport
import Testing

@testable import ServerConfiguration

/// `include:`, which reads endpoints from more files.
@Suite struct IncludedFilesTests {
    private static let head = """
        listeners: [{address: 127.0.0.1:1}]
        journal: {directory: journal}

        """
    private static let include = head + "include: endpoints.d/*.yaml\n"
    private static let main =
        include
        + "endpoints:\n  - {name: m, path: /m, provider: citcon-upi, "
        + "secrets: [{file: secrets/citcon}]}\n"

    private static func endpoint(_ name: String, _ path: String? = nil) -> String {
        """
        # Paths start at the configuration's folder.
        name: \(name)
        path: \(path ?? "/\(name)")
        provider: citcon-upi
        secrets: [{file: secrets/citcon-next}]

        """
    }

    private func names(_ folder: TemporaryFolder, _ text: String) throws -> [String] {
        try folder.load(text).get().endpoints.map(\.name)
    }

    /// The mistakes as printed, without the folder.
    private func mistakes(_ folder: TemporaryFolder, _ text: String = main) throws -> [String] {
        guard case .failure(let error) = try folder.load(text) else { return [] }
        #expect(error.warnings.isEmpty)
        return error.mistakes.map { $0.description.replacing("\(folder.path)/", with: "") }
    }

    private func expect(
        _ mistakes: [String], _ expected: String...,
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(mistakes.count == expected.count, "\(mistakes)", sourceLocation: location)
        for (mistake, start) in zip(mistakes, expected) {
            #expect(mistake.hasPrefix(start), "\(mistake)", sourceLocation: location)
        }
    }

    @Test func `files follow the configuration, in the order of their bytes`() throws {
        let folder = try TemporaryFolder.filled()
        for name in ["b", "a", "B", "a-b", "é"] {
            try folder.write(
                "endpoints.d/\(name).yaml", Self.endpoint(name == "é" ? "z" : name))
        }
        try folder.write("endpoints.d/a.yaml~", "nonsense")
        #expect(try names(folder, Self.main) == ["m", "B", "a-b", "a", "b", "z"])
        #expect(try names(folder, Self.include) == ["B", "a-b", "a", "b", "z"])
        let configuration = try folder.load(Self.main).get()
        let first = configuration.endpoints[1]
        #expect(first.file == "\(folder.path)/endpoints.d/B.yaml" && first.key.isEmpty)
        #expect(first.secretSources == [.file("\(folder.path)/secrets/citcon-next")])
        #expect(
            configuration.describe().contains("included from \(folder.path)/endpoints.d/B.yaml"))
    }

    @Test func `a list of patterns reads each file once`() throws {
        let folder = try TemporaryFolder.filled()
        try folder.write("endpoints.d/a.yaml", Self.endpoint("a"))
        try folder.write("shop.yaml", Self.endpoint("shop"))
        let text =
            Self.head
            + "include: [shop.yaml, endpoints.d/*.yaml, endpoints.d/a.yaml, none.d/*.yaml]\n"
        #expect(try names(folder, text) == ["shop", "a"])
        #expect(
            Configuration.endpointNames(inFile: try folder.write("ipnd.yaml", Self.main)) == [
                "m", "a",
            ])
    }

    @Test func `a missing folder has no endpoints, and a missing file is a mistake`() throws {
        let folder = try TemporaryFolder.filled()
        #expect(try names(folder, Self.main) == ["m"])
        expect(
            try mistakes(folder, Self.head + "include: [a.yaml, endpoints.d/*.yaml]\n"),
            "ipnd.yaml:3:11: include[0]: a.yaml does not exist")
        expect(
            try mistakes(folder, Self.include), "ipnd.yaml:3:10: include: no file is there")
        expect(
            try mistakes(folder, Self.include + "endpoints: []\n"),
            "ipnd.yaml:3:10: include: no file is there")
    }

    @Test(arguments: [
        ("endpoints.d", "endpoints.d is not a regular file"),
        ("endpoints.d/", "“endpoints.d/” names a folder"),
        ("*/a.yaml", "“*/a.yaml” has a `*` in the name of a folder"),
        ("./*.yaml", "includes the configuration itself"),
        ("secrets/citcon/*", "secrets/citcon cannot be read: "),
    ])
    func `a pattern that cannot be read is a mistake`(
        _ pattern: String, _ problem: String
    ) throws {
        let folder = try TemporaryFolder.filled()
        try folder.write("endpoints.d/a.yaml", Self.endpoint("a"))
        expect(
            try mistakes(folder, Self.head + "include: \"\(pattern)\"\n"),
            "ipnd.yaml:3:10: include: \(problem)")
    }

    @Test func `a mistake names the included file and its line`() throws {
        let folder = try TemporaryFolder.filled()
        try folder.write(
            "endpoints.d/a.yaml",
            Self.endpoint("a").replacing("secrets:", with: "sekrets:"))
        try folder.write(
            "endpoints.d/b.yaml",
            Self.endpoint("b").replacing("citcon-next", with: "none"))
        try folder.write(
            "endpoints.d/c.yaml", "name: c\npath: /c\nprovider: antum\nkeys: []\n")
        try folder.write("endpoints.d/d.yaml", "name: [\n")
        try folder.write("endpoints.d/e.yaml", "# Nothing.\n")
        try folder.write("endpoints.d/f.yaml", "name: f\npath: /f\nname: g\n")
        let found = try mistakes(folder)
        #expect(found.filter { $0.hasPrefix("endpoints.d/a.yaml:5:1: sekrets: ") }.count == 1)
        #expect(found.contains { $0.contains("sekrets") && $0.contains("did you mean `secrets`?") })
        #expect(
            found.contains {
                $0.hasPrefix("endpoints.d/b.yaml:5:18: secrets[0].file: secrets/none does not")
            })
        #expect(
            found.contains {
                $0.hasPrefix("endpoints.d/c.yaml:3:11: provider: ")
                    && $0.contains("did you mean `antom`?")
            })
        #expect(found.contains { $0.hasPrefix("endpoints.d/d.yaml:2:1: this is not YAML") })
        #expect(found.contains { $0.hasPrefix("endpoints.d/e.yaml:1: the file is empty") })
        #expect(found.contains { $0.hasPrefix("endpoints.d/f.yaml:3:1: name: appears twice") })
        #expect(found.allSatisfy { $0.hasPrefix("endpoints.d/") }, "\(found)")
    }

    @Test func `a name or path that two files use names both places`() throws {
        let folder = try TemporaryFolder.filled()
        try folder.write("endpoints.d/a.yaml", Self.endpoint("a"))
        try folder.write("endpoints.d/b.yaml", Self.endpoint("b", "/a"))
        try folder.write("endpoints.d/c.yaml", Self.endpoint("m", "/c"))
        expect(
            try mistakes(folder),
            "endpoints.d/b.yaml:3:7: path: “/a” is already used by endpoints.d/a.yaml:3; ",
            "endpoints.d/c.yaml:2:7: name: “m” is already used by ipnd.yaml:5; ")
    }

    @Test func `an included file holds one endpoint`() throws {
        let folder = try TemporaryFolder.filled()
        let one = "an included file holds one endpoint"
        try folder.write("endpoints.d/a.yaml", Self.endpoint("a") + "include: more.d/*.yaml\n")
        try folder.write("endpoints.d/b.yaml", "endpoints:\n  - name: b\n")
        try folder.write("endpoints.d/c.yaml", "- name: c\n")
        try folder.write("endpoints.d/d.yaml", "destinations: []\nlog: {level: info}\n")
        expect(
            try mistakes(folder),
            "endpoints.d/a.yaml:6:1: include: an included file cannot include others; name them in",
            "endpoints.d/b.yaml:1:1: endpoints: \(one); write one endpoint: its `name:`",
            "endpoints.d/c.yaml:1:1: the file is a list, not one endpoint; write one endpoint",
            "endpoints.d/d.yaml:1:1: destinations: \(one); move this to ipnd.yaml",
            "endpoints.d/d.yaml:2:1: log: \(one); move this to ipnd.yaml")
    }

    @Test func `every section of the configuration is refused in an included file`() throws {
        let text = try SourceTree.text("config/ipnd.yaml")
        let sections = text.split(separator: "\n").compactMap { line -> String? in
            let name = line.drop { $0 == "#" }.prefix { $0 != ":" }
            guard line.contains(":"), name.allSatisfy(\.isLetter), name.first?.isLetter == true
            else { return nil }
            return String(name)
        }
        #expect(
            Set(sections).subtracting(["include", "endpoints"]) == Set(IncludedFiles.mainKeys))
    }

    @Test func `a warning is about the included file`() throws {
        let folder = try TemporaryFolder.filled()
        try folder.write("endpoints.d/a.yaml", Self.endpoint("a"))
        try folder.write("endpoints.d/b.yaml", Self.endpoint("b"))
        let check = ConfigurationCheck(try folder.load(Self.main).get())
        let shared = check.findings.filter { $0.problem.contains("has a secret of") }
        #expect(shared.map(\.file) == ["\(folder.path)/endpoints.d/b.yaml"])
        #expect(shared.map(\.key) == ["secrets"])
    }

    @Test func `a destination's endpoint may be included`() throws {
        let folder = try TemporaryFolder.filled()
        try folder.write("endpoints.d/a.yaml", Self.endpoint("a"))
        let destination =
            "destinations: [{name: shop, url: \"https://shop.example/\", "
            + "secrets: [{file: secrets/shop}], endpoints: [a, m]}]\n"
        let configuration = try folder.load(Self.main + destination).get()
        #expect(configuration.destinations[0].endpoints == ["a", "m"])
        // Of an endpoint that cannot be read, only its own mistake is reported.
        try folder.write("endpoints.d/a.yaml", "name: a\npath: /a\n")
        expect(
            try mistakes(folder, Self.main + destination),
            "endpoints.d/a.yaml:1:1: provider: this key is missing")
    }

    @Test func `recipes are beside the configuration`() throws {
        let folder = try TemporaryFolder.filled()
        try folder.write("recipes/acme.yaml", RecipeText.acme)
        try folder.write(
            "endpoints.d/a.yaml",
            """
            name: a
            path: /a
            provider: acme
            secrets: [{file: secrets/citcon}]
            merchantID: M-1

            """)
        try folder.write("endpoints.d/b.yaml", Self.endpoint("b"))
        let configuration = try folder.load(Self.main).get()
        #expect(configuration.endpoints.map(\.system) == ["citcon-upi", "acme", "citcon-upi"])
        #expect(configuration.providers["acme"] != nil)
        try folder.write("recipes/acme.yaml", "title: 1\n")
        let found = try mistakes(folder)
        #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("recipes/acme.yaml") })
    }

    @Test func `the number of files and their bytes are limited`() throws {
        let folder = try TemporaryFolder.filled()
        for number in 0...IncludedFiles.filesMax {
            try folder.write("endpoints.d/\(number).yaml", "")
        }
        expect(try mistakes(folder), "ipnd.yaml:3:10: include: names 1001 files, and at most 1000")
        let large = try TemporaryFolder.filled()
        let comment = "#" + String(repeating: "x", count: (1 << 20) - 1000) + "\n"
        for number in 1...9 {
            try large.write("endpoints.d/\(number).yaml", comment + Self.endpoint("e\(number)"))
        }
        expect(
            try mistakes(large),
            "ipnd.yaml:3:10: include: names files of more than \(IncludedFiles.bytesMax) bytes")
        try large.write("endpoints.d/1.yaml", comment + comment)
        #expect(try mistakes(large).first?.contains("1.yaml has more than 1048576 bytes") == true)
    }
}
