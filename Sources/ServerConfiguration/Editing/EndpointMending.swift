import Glibc
import Platform
import Providers
import Yams

/// Changes of an endpoint that the configuration has: settings of one word, and the file with its
/// key or secret. Every other byte of the configuration stays as it is.
package struct EndpointMending: Sendable {
    /// One setting before and after. A credential has neither text.
    package struct Change: Sendable, Equatable {
        package var key: String
        package var before: String?
        package var after: String?
    }

    package let endpoint: String
    /// Settings by key, with their new value as one word.
    package let settings: [(key: String, value: String)]
    /// The new key or secret; nil keeps the old one.
    package let credential: [UInt8]?

    package init(
        _ endpoint: String, settings: [(key: String, value: String)], credential: [UInt8]?
    ) {
        self.endpoint = endpoint
        self.settings = settings
        self.credential = credential
    }

    /// Writes the changes, after the configuration with them has passed `ipnd check`; otherwise
    /// nothing is changed.
    ///
    /// - Throws: ``EndpointAdditionError``; `noPlace` where a value is not on one line.
    package func apply(
        to file: String, environment: [String: String] = Configuration.processEnvironment()
    ) throws(EndpointAdditionError) -> (changes: [Change], warnings: [Finding]) {
        let main = try ConfigurationSource(file)
        let holder = try source(main, file)
        var text = EndpointText(holder.contents.bytes, endpoint)
        var changes: [Change] = []
        for (key, value) in settings {
            guard let before = text?.set(key, to: YAMLPiece.scalar(value)) else { throw .noPlace }
            if before != value { changes.append(Change(key: key, before: before, after: value)) }
        }
        guard let bytes = text?.bytes else { throw .noPlace }
        let file = try credential.map { bytes throws(EndpointAdditionError) in
            guard let path = text?.credentialFile else { throw .noPlace }
            return (
                path: path.hasPrefix("/") ? path : "\(main.folder)/\(path)", bytes: bytes
            )
        }
        let check = EndpointAdditionCheck(
            file: holder.file, folder: main.folder, endpoint: endpoint, environment: environment)
        let warnings = try replacing(file) { () throws(EndpointAdditionError) in
            let checked =
                holder.isMain
                ? try check.warnings(bytes)
                : try check.warnings(main.contents.bytes, [holder.path: bytes])
            if bytes != holder.contents.bytes { try holder.source.replace(with: bytes) }
            return checked
        }
        if file != nil { changes.append(Change(key: "key or secret")) }
        return (changes, warnings)
    }

    private struct Holder {
        let source: ConfigurationSource
        let path: String
        let file: String
        let isMain: Bool
        var contents: FileContents { source.contents }
    }

    /// The file that has the endpoint: the configuration, or one that it includes.
    private func source(
        _ main: ConfigurationSource, _ file: String
    ) throws(EndpointAdditionError) -> Holder {
        if EndpointText(main.contents.bytes, endpoint) != nil {
            return Holder(source: main, path: file, file: file, isMain: true)
        }
        guard let place = main.placeForFile(of: endpoint), PrivateFile.exists(place.path) else {
            throw .noPlace
        }
        return Holder(
            source: try ConfigurationSource(place.path), path: place.path, file: file,
            isMain: false)
    }

    /// Replaces the file with the key or secret, and restores it when `act` throws: the check reads
    /// it by its path.
    private func replacing(
        _ file: (path: String, bytes: [UInt8])?,
        _ act: () throws(EndpointAdditionError) -> [Finding]
    ) throws(EndpointAdditionError) -> [Finding] {
        guard let file else { return try act() }
        let old: FileContents
        do throws(FileContents.Problem) {
            old = try FileContents(path: file.path, bytesMax: 1 << 20)
        } catch {
            throw .system("\(file.path) \(error.clause)")
        }
        try Self.write(file.bytes, over: file.path, mode: old.mode)
        do throws(EndpointAdditionError) { return try act() } catch {
            try Self.write(old.bytes, over: file.path, mode: old.mode)
            throw error
        }
    }

    private static func write(
        _ bytes: [UInt8], over path: String, mode: UInt32
    ) throws(EndpointAdditionError) {
        let fresh = "\(path).new-\(getpid())"
        do throws(SandboxFolderError) {
            try PrivateFile.write(bytes, to: fresh, mode: mode)
            var status = stat()
            // The service's user reads it, who may not be the one that runs this command.
            if stat(path, &status) == 0, geteuid() == 0 {
                _ = chown(fresh, status.st_uid, status.st_gid)
            }
            guard rename(fresh, path) == 0 else {
                throw .system(operation: "rename", path: path, errno: errno)
            }
        } catch {
            unlink(fresh)
            throw .system("\(error)")
        }
    }
}

/// The text of one endpoint in a YAML file.
private struct EndpointText {
    private(set) var bytes: [UInt8]
    private let name: String
    private var mapping: Node.Mapping

    /// Nil where the file does not have the endpoint.
    init?(_ bytes: [UInt8], _ name: String) {
        guard let found = Self.endpoint(bytes, name) else { return nil }
        self.bytes = bytes
        self.name = name
        mapping = found
    }

    private static func endpoint(_ bytes: [UInt8], _ name: String) -> Node.Mapping? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let root = try? Yams.compose(yaml: text, .basic, .default, .utf8) else { return nil }
        let all = root["endpoints"].map { $0.sequence.map { Array($0) } ?? [] } ?? [root]
        return all.first { $0["name"]?.string == name }?.mapping
    }

    /// The file of the first key or secret.
    var credentialFile: String? {
        for (_, value) in mapping {
            for item in value.sequence ?? [] {
                let reference = item["publicKey"] ?? item["certificate"] ?? item
                if let file = reference["file"]?.string { return file }
            }
        }
        return nil
    }

    /// Sets a value, and returns the one before; an empty text where there was none. Nil where the
    /// value is not one word on one line.
    mutating func set(_ key: String, to value: String) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let before: String
        if let present = mapping.first(where: { $0.key.string == key })?.value {
            guard case .scalar(let scalar) = present, let mark = scalar.mark,
                lines.indices.contains(mark.line - 1),
                let changed = Self.replacing(lines[mark.line - 1], at: mark.column - 1, value)
            else { return nil }
            before = scalar.string
            lines[mark.line - 1] = changed
        } else {
            guard let provider = mapping.first(where: { $0.key.string == "provider" }),
                let mark = provider.key.mark, let end = provider.value.mark,
                lines.indices.contains(mark.line - 1), mark.line == end.line,
                let changed = Self.inserting(key, value, in: lines, provider: mark, end)
            else { return nil }
            before = ""
            lines = changed
        }
        let fresh = Array(lines.joined(separator: "\n").utf8)
        // Proved by reading it again: only this value is another one.
        guard let read = Self.endpoint(fresh, name), read.count >= mapping.count,
            read.first(where: { $0.key.string == key })?.value.string != nil,
            mapping.allSatisfy({ pair in
                pair.key.string == key
                    || read.contains { $0.key == pair.key && $0.value == pair.value }
            })
        else { return nil }
        (bytes, mapping) = (fresh, read)
        return before
    }

    /// The line with another scalar at a column.
    private static func replacing(_ line: String, at column: Int, _ value: String) -> String? {
        let scalars = Array(line.unicodeScalars)
        guard let end = end(of: scalars, from: column) else { return nil }
        return Self.text(scalars[..<column]) + value + Self.text(scalars[end...])
    }

    /// The end of the scalar that begins at a column.
    private static func end(of scalars: [Unicode.Scalar], from column: Int) -> Int? {
        guard scalars.indices.contains(column) else { return nil }
        let quote = scalars[column]
        if quote == "\"" || quote == "'" {
            var index = column + 1
            while index < scalars.count {
                if quote == "\"", scalars[index] == "\\" {
                    index += 2
                    continue
                }
                if scalars[index] == quote { return index + 1 }
                index += 1
            }
            return nil
        }
        guard !["|", ">", "*", "&", "!"].contains(quote) else { return nil }
        var end = column
        while end < scalars.count, ![",", "}", "]", "\r"].contains(scalars[end]) {
            if scalars[end] == "#", end > column, scalars[end - 1] == " " { break }
            end += 1
        }
        while end > column, scalars[end - 1] == " " { end -= 1 }
        return end > column ? end : nil
    }

    /// The lines with a member after `provider`, on the same line in braces, else on its own.
    private static func inserting(
        _ key: String, _ value: String, in lines: [String], provider: Mark, _ end: Mark
    ) -> [String]? {
        var lines = lines
        let scalars = Array(lines[provider.line - 1].unicodeScalars)
        guard let stop = Self.end(of: scalars, from: end.column - 1) else { return nil }
        let rest = scalars[stop...].drop { $0 == " " }
        if let next = rest.first, next == "," || next == "}" {
            lines[provider.line - 1] =
                text(scalars[..<stop]) + ", \(key): \(value)" + text(scalars[stop...])
            return lines
        }
        let indent = String(repeating: " ", count: provider.column - 1)
        lines.insert("\(indent)\(key): \(value)", at: provider.line)
        return lines
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }
}

extension YAMLPiece {
    /// A word as a scalar: a number where it is one.
    fileprivate static func scalar(_ text: String) -> String {
        (Int(text).map { YAMLPiece.number($0) } ?? .text(text)).flow
    }
}
