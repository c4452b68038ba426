import Foundation

/// A folder of one test, removed when this value is released.
package final class TemporaryFolder: Sendable {
    /// The path with symbolic links resolved.
    package let path: String

    package init() {
        path = Self.make("\(Minder.common.folder)/")
    }

    /// The path of a new folder whose name begins with `prefix`.
    static func make(_ prefix: String) -> String {
        var template = Array("\(prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            fatalError("mkdtemp: \(String(cString: strerror(errno)))")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in it.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names in the folder, sorted.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    /// Copies its content to a folder, which is made if it does not exist.
    package func copy(to folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        for name in try names {
            try FileManager.default.copyItem(atPath: file(name), toPath: "\(folder)/\(name)")
        }
    }

    package func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: file(name))
    }

    package func content(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
    }

    package func text(_ name: String) throws -> String {
        String(decoding: try content(name), as: UTF8.self)
    }

    /// The permission bits.
    package func mode(_ name: String = "") throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    package func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    }

    /// Writes a file and creates the folders above it; returns its absolute path.
    @discardableResult
    package func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let path = file(name)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true)
        try write(Array(text.utf8), to: name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }
}
