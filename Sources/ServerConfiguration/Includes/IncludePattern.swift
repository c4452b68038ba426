import Glibc
import Platform
import SystemPackage
import Yams

/// A pattern of `include:`: the path of a file, or of a folder's files by name, as in
/// `endpoints.d/*.yaml`.
struct IncludePattern {
    /// The absolute folder of the files.
    let folder: String
    /// The folder as the command line and the configuration name it, up to and with its last slash.
    let shownFolder: String
    /// The folder as the configuration names it.
    let writtenFolder: String
    /// The last component of the path; `*` matches any characters.
    let name: String

    /// - Parameters:
    ///   - text: The pattern as written; ``problem(of:)`` is nil for it.
    ///   - folder: The configuration's absolute folder.
    ///   - beside: The same folder as the command line named it, with its last slash.
    init(_ text: String, folder: String, beside: String) {
        var text = text[...]
        while text.hasPrefix("./") { text = text.dropFirst(2) }
        let slash = text.lastIndex(of: "/")
        writtenFolder = slash.map { String(text[...$0]) } ?? ""
        name = slash.map { String(text[text.index(after: $0)...]) } ?? String(text)
        let isAbsolute = text.hasPrefix("/")
        shownFolder = isAbsolute ? writtenFolder : beside + writtenFolder
        let below = writtenFolder.hasSuffix("/") ? String(writtenFolder.dropLast()) : ""
        self.folder =
            isAbsolute
            ? below.isEmpty ? "/" : below
            : below.isEmpty ? folder : folder == "/" ? "/\(below)" : "\(folder)/\(below)"
    }

    /// Describes why `text` is not a pattern, and what to write; nil for a pattern.
    static func problem(of text: String) -> (problem: String, remedy: String)? {
        let example = "write the files of one folder, as in `endpoints.d/*.yaml`"
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let last = parts.last, !last.isEmpty, !last.elementsEqual("..".utf8),
            !last.elementsEqual(".".utf8)
        else { return ("\(quoted(text)) names a folder", example) }
        if parts.dropLast().contains(where: { $0.contains(UInt8(ascii: "*")) }) {
            return ("\(quoted(text)) has a `*` in the name of a folder", example)
        }
        return nil
    }

    /// Whether it names the files of a folder and not one file.
    var isGlob: Bool { name.utf8.contains(UInt8(ascii: "*")) }

    /// The path of one of its files.
    func path(of file: String) -> String {
        folder.hasSuffix("/") ? "\(folder)\(file)" : "\(folder)/\(file)"
    }

    /// Whether the pattern matches this name. Letters are compared as bytes.
    func matches(_ file: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
        guard let first = parts.first, let last = parts.dropFirst().last else {
            return file.utf8.elementsEqual(name.utf8)
        }
        var rest = Array(file.utf8)[...]
        guard rest.starts(with: first) else { return false }
        rest = rest.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() {
            while !rest.starts(with: part) {
                if rest.isEmpty { return false }
                rest = rest.dropFirst()
            }
            rest = rest.dropFirst(part.count)
        }
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }

    /// The names of the folder's files that match, in the order of their bytes; none where the
    /// folder does not exist. Hidden files and editors' backups are left out.
    func names() throws(Errno) -> [String] {
        let all: [String]
        do throws(Errno) { all = try Directory.list(folder) } catch {
            if error == .noSuchFileOrDirectory { return [] }
            throw error
        }
        return all.filter { matches($0) && !Self.isLeftover($0) }
    }

    /// Whether an editor, a package manager or an interrupted command left the file.
    private static func isLeftover(_ name: String) -> Bool {
        let endings = [
            "~", ".bak", ".old", ".orig", ".rej", ".swp", ".tmp", ".dpkg-dist", ".dpkg-new",
            ".dpkg-old", ".rpmnew", ".rpmorig", ".rpmsave",
        ]
        return name.hasPrefix(".") || name.hasPrefix("#")
            || endings.contains { name.hasSuffix($0) }
    }

    /// The name of a new file for an endpoint; nil where the pattern names one file.
    func name(forEndpoint endpoint: String) -> String? {
        guard let star = name.firstIndex(of: "*") else { return nil }
        if name == "*" { return "\(endpoint).yaml" }
        let rest = name[name.index(after: star)...].filter { $0 != "*" }
        return "\(name[..<star])\(endpoint)\(rest)"
    }

    /// The patterns of a configuration, without those that have a problem.
    static func all(in root: Node, file: String) -> [IncludePattern] {
        guard let value = root.mapping?.first(where: { $0.key.string == "include" })?.value else {
            return []
        }
        let texts = value.sequence?.compactMap(\.string) ?? [value.string].compactMap(\.self)
        let folder = Configuration.absoluteFolder(of: file)
        return texts.filter { !$0.isEmpty && problem(of: $0) == nil }.map {
            IncludePattern($0, folder: folder, beside: Configuration.shownFolder(of: file))
        }
    }
}
