import Glibc
import Platform
import Providers
import Yams

extension Configuration {
    /// Reads a configuration file and every file and variable that it refers to.
    ///
    /// - Parameters:
    ///   - file: The YAML file; relative paths in it start at its folder.
    ///   - environment: The variables that `{env: NAME}` can name.
    ///   - memory: The memory of providers; that of the former configuration at a reload.
    /// - Throws: ``ConfigurationError`` with all mistakes that could be found.
    package static func load(
        file: String, environment: [String: String] = Configuration.processEnvironment(),
        memory: ProviderMemory = ProviderMemory()
    ) throws(ConfigurationError) -> Configuration {
        let (configuration, reading) = read(
            file: file, environment: environment, memory: memory)
        if let configuration {
            if configuration.verifiesByCertificates {
                configuration.memoryFiles.load(into: memory.certificates)
            }
            return configuration
        }
        let findings = reading.findings.sorted(by: Finding.isInOrder)
        throw ConfigurationError(
            mistakes: findings.filter { $0.severity == .mistake },
            warnings: findings.filter { $0.severity == .warning },
            mistakesOmitted: reading.mistakesOmitted)
    }

    /// Reads a configuration and returns the decoding context too, for the test of the
    /// configuration reference.
    static func read(
        file: String, environment: [String: String], memory: ProviderMemory = ProviderMemory()
    ) -> (Configuration?, DecodingContext) {
        let reading = DecodingContext(
            file: file, folder: absoluteFolder(of: file), environment: environment,
            memory: memory)
        let configuration = text(at: file, "the configuration", reading).flatMap {
            read(text: $0, reading)
        }
        return (configuration, reading)
    }

    /// The names of the endpoints in a file and those that it includes, for shell completion.
    /// Nothing is checked; a file that cannot be read has none.
    package static func endpointNames(inFile file: String) -> [String] {
        endpointNodes(inFile: file).compactMap { $0["name"]?.string }
    }

    /// The provider of an endpoint, without checking anything; nil where there is no such endpoint.
    package static func provider(ofEndpoint name: String, inFile file: String) -> String? {
        endpointNodes(inFile: file).first { $0["name"]?.string == name }?["provider"]?.string
    }

    private static func endpointNodes(inFile file: String) -> [Node] {
        guard let root = root(ofFile: file) else { return [] }
        let own = root["endpoints"]?.sequence.map { Array($0) } ?? []
        let paths = IncludePattern.all(in: root, file: file).flatMap { pattern in
            let names = pattern.isGlob ? (try? pattern.names()) ?? [] : [pattern.name]
            return names.map(pattern.path)
        }
        return own + paths.prefix(IncludedFiles.filesMax).compactMap { self.root(ofFile: $0) }
    }

    private static func root(ofFile file: String) -> Node? {
        guard let contents = try? FileContents(path: file, bytesMax: YAMLText.bytesMax) else {
            return nil
        }
        return try? Yams.compose(yaml: String(decoding: contents.bytes, as: UTF8.self))
    }

    /// Decodes `text`; returns nil after mistakes, which are then in `reading`.
    static func read(text: String, _ reading: DecodingContext) -> Configuration? {
        YAMLText(text).root(reading)
            .flatMap { ConfigurationReader($0, reading) }?
            .configuration()
    }

    /// The text of a file; nil after a mistake was reported.
    ///
    /// - Parameter subject: The file in words, as in `the configuration`.
    static func text(at file: String, _ subject: String, _ reading: DecodingContext) -> String? {
        do throws(FileContents.Problem) {
            let contents = try FileContents(path: file, bytesMax: YAMLText.bytesMax)
            return text(of: contents.bytes, reading)
        } catch {
            reading.report(
                at: nil, key: "", problem: "\(subject) \(error.clause)",
                remedy: error == .missing
                    ? subject == "the configuration"
                        ? "correct the path, or make a folder with `ipnd init DIR`"
                        : "correct the path"
                    : error.remedy)
        }
        return nil
    }

    /// The text of a file's bytes; nil after a mistake was reported.
    static func text(of bytes: [UInt8], _ reading: DecodingContext) -> String? {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        reading.report(
            line: firstLineThatIsNotUTF8(bytes), problem: "this is not UTF-8 text",
            remedy: "save the file as UTF-8")
        return nil
    }

    /// The number of the first line that is not UTF-8, counted from 1. In UTF-8 a line break is
    /// always a separate byte, so each line can be checked alone.
    private static func firstLineThatIsNotUTF8(_ bytes: [UInt8]) -> Int {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let index = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
        return (index ?? 0) + 1
    }

    package static func absoluteFolder(of file: String) -> String {
        let folder =
            file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : file[..<$0] } ?? "."
        guard let resolved = realpath(String(folder), nil) else { return String(folder) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The folder of a file as its path names it, up to and with the last slash; empty for a name.
    static func shownFolder(of file: String) -> String {
        file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    }

    /// The environment of this process.
    package static func processEnvironment() -> [String: String] {
        var environment: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { environment[String(pair[0])] = String(pair[1]) }
            entry += 1
        }
        return environment
    }
}
