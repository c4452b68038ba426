import Glibc
import Platform
import Yams

/// The main file of a configuration that gets a new endpoint, as it was when it was read.
struct ConfigurationSource {
    /// The absolute folder at which paths in the configuration start.
    let folder: String
    let contents: FileContents
    /// The file itself, which a link may name.
    private let path: String
    private let patterns: [IncludePattern]

    init(_ file: String) throws(EndpointAdditionError) {
        guard let resolved = realpath(file, nil) else {
            throw .system("\(file): \(String(cString: strerror(errno)))")
        }
        defer { free(resolved) }
        path = String(cString: resolved)
        folder = Configuration.absoluteFolder(of: file)
        contents = try Self.read(path)
        let text = String(decoding: contents.bytes, as: UTF8.self)
        let root = try? Yams.compose(yaml: text, .basic, .default, .utf8)
        patterns = root.map { IncludePattern.all(in: $0, file: file) } ?? []
    }

    private static func read(_ path: String) throws(EndpointAdditionError) -> FileContents {
        do throws(FileContents.Problem) {
            return try FileContents(path: path, bytesMax: YAMLText.bytesMax)
        } catch {
            throw .system("\(path) \(error.clause)")
        }
    }

    /// The bytes of the file now.
    func currentBytes() throws(EndpointAdditionError) -> [UInt8] { try Self.read(path).bytes }

    /// The file for a new endpoint, in the first folder whose files the configuration includes: its
    /// absolute path, and the path from the configuration's folder. Nil where it includes none.
    func placeForFile(of endpoint: String) -> (path: String, shown: String)? {
        for pattern in patterns {
            guard let name = pattern.name(forEndpoint: endpoint) else { continue }
            return (pattern.path(of: name), pattern.writtenFolder + name)
        }
        return nil
    }

    /// Writes the new text beside the file and renames it, with the old mode and owner, so that no
    /// reader sees half of it.
    func replace(with bytes: [UInt8]) throws(EndpointAdditionError) {
        guard try currentBytes() == contents.bytes else { throw .changed }
        let fresh = "\(path).new-\(getpid())"
        try Self.removing(fresh) { () throws(SandboxFolderError) in
            try writeLike(bytes, to: fresh)
            guard rename(fresh, path) == 0 else {
                throw .system(operation: "rename", path: path, errno: errno)
            }
            try PrivateFile.syncFolder(Self.parent(of: path))
        }
    }

    /// Writes a file with the mode and owner of this one, so that whoever reads the configuration
    /// can read it too: it holds no secret. The file appears with all its bytes, and never replaces
    /// another. Its folder is created if it does not exist.
    func create(_ file: String, _ bytes: [UInt8]) throws(EndpointAdditionError) {
        let parent = Self.parent(of: file)
        let name = file.dropFirst(parent.count).drop { $0 == "/" }
        // Hidden files are not included.
        let fresh = "\(parent)/.\(name).new-\(getpid())"
        var isTaken = false
        try Self.removing(fresh) { () throws(SandboxFolderError) in
            try makeFolder(parent)
            try writeLike(bytes, to: fresh)
            guard link(fresh, file) == 0 else {
                isTaken = errno == EEXIST
                if isTaken { return }
                throw .system(operation: "link", path: file, errno: errno)
            }
            do throws(SandboxFolderError) { try PrivateFile.syncFolder(parent) } catch {
                unlink(file)
                throw error
            }
        }
        unlink(fresh)
        if isTaken { throw .fileExists(file) }
    }

    /// Creates a folder that whoever may read the configuration may search.
    private func makeFolder(_ folder: String) throws(SandboxFolderError) {
        guard !PrivateFile.exists(folder) else { return }
        let mode = contents.mode & 0o666 | (contents.mode & 0o444) >> 2
        guard mkdir(folder, mode) == 0 else {
            throw .system(operation: "mkdir", path: folder, errno: errno)
        }
        try takeOver(folder, mode)
        try PrivateFile.syncFolder(Self.parent(of: folder))
    }

    private func writeLike(_ bytes: [UInt8], to file: String) throws(SandboxFolderError) {
        try PrivateFile.write(bytes, to: file, mode: contents.mode)
        try takeOver(file, contents.mode)
    }

    /// Gives a new file or folder this file's owner and the mode, which the umask may have limited.
    private func takeOver(_ target: String, _ mode: mode_t) throws(SandboxFolderError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .system(operation: "stat", path: path, errno: errno)
        }
        // Only root can change the owner; for other users the file is already theirs.
        _ = chown(target, status.st_uid, status.st_gid)
        guard chmod(target, mode) == 0 else {
            throw .system(operation: "chmod", path: target, errno: errno)
        }
    }

    /// Removes a temporary file when `act` throws.
    private static func removing(
        _ fresh: String, _ act: () throws(SandboxFolderError) -> Void
    ) throws(EndpointAdditionError) {
        do throws(SandboxFolderError) { try act() } catch {
            unlink(fresh)
            throw .system("\(error)")
        }
    }

    private static func parent(of path: String) -> String {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        return folder.isEmpty ? "/" : folder
    }
}
