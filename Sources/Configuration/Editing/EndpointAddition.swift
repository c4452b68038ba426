import Bytes
import Glibc
import Platform
import Providers

/// A new endpoint of an existing configuration: its lines and its key or secret.
package struct EndpointAddition: Sendable {
    package let provider: ProviderDescriptor
    package let name: String
    package let path: String
    /// What stands behind `provider:`.
    package let settings: [YAMLPiece.Member]
    /// A file below the configuration's folder, and what is in it; nil where the endpoint holds
    /// no key or secret.
    package let credential: (path: String, bytes: [UInt8])?

    package init(
        _ provider: ProviderDescriptor, name: String, path: String,
        settings: [YAMLPiece.Member], credential: [UInt8]?
    ) {
        self.provider = provider
        self.name = name
        self.path = path
        self.settings = settings
        self.credential = credential.map { (Self.credentialPath(provider, name), $0) }
    }

    /// Where an endpoint's key or secret lies, as `ipnd init` would have it.
    package static func credentialPath(_ provider: ProviderDescriptor, _ name: String) -> String {
        provider.credential == .rsaKeyPair ? "keys/\(name).pem" : "secrets/\(name)"
    }

    var members: [YAMLPiece.Member] {
        [
            .init("name", .text(name)), .init("path", .text(path)),
            .init("provider", .text(provider.name)),
        ] + settings
    }

    /// The item, for somebody who has to put it in by hand.
    package var lines: [String] {
        members.flatMap { YAMLPiece.lines($0, indent: "") }.enumerated()
            .map { ($0.offset == 0 ? "  - " : "    ") + $0.element }
    }

    /// Writes the key or secret (mode 0600), checks the configuration with the new endpoint as
    /// `ipnd check` does, and only then replaces the file. What was there before is unchanged when
    /// this throws.
    ///
    /// - Returns: What the check warns of.
    /// - Throws: ``EndpointAdditionError``.
    package func add(
        to file: String, environment: [String: String] = Configuration.processEnvironment()
    ) throws(EndpointAdditionError) -> [Finding] {
        let place = try Self.resolved(file)
        let folder = place.lastIndex(of: "/").map { String(place[..<$0]) } ?? "."
        let old = try Self.contents(place)
        guard let new = EndpointInsertion(members: members).text(of: old.bytes) else {
            throw .noPlace
        }
        let path = credential.map { "\(folder)/\($0.path)" }
        if let path, let credential { try Self.write(credential.bytes, to: path) }
        do throws(EndpointAdditionError) {
            let warnings = try Self.check(new, file, folder, environment)
            try Self.replace(place, old, with: new)
            return warnings
        } catch {
            if let path { unlink(path) }
            throw error
        }
    }

    private static func write(
        _ bytes: [UInt8], to path: String
    ) throws(EndpointAdditionError) {
        guard !PrivateFile.exists(path) else { throw .fileExists(path) }
        do throws(SandboxFolderError) {
            let parent = path[..<(path.lastIndex(of: "/") ?? path.endIndex)]
            try PrivateFile.makeFolder(String(parent))
            try PrivateFile.write(bytes, to: path, mode: 0o600)
            try PrivateFile.syncFolder(String(parent))
        } catch {
            throw .system("\(error)")
        }
    }

    private static func resolved(_ file: String) throws(EndpointAdditionError) -> String {
        guard let path = realpath(file, nil) else {
            throw .system("\(file): \(String(cString: strerror(errno)))")
        }
        defer { free(path) }
        return String(cString: path)
    }

    private static func contents(_ path: String) throws(EndpointAdditionError) -> FileContents {
        do throws(FileContents.Problem) {
            return try FileContents(path: path, bytesMax: YAMLText.bytesMax)
        } catch {
            throw .system("\(path) \(error.clause)")
        }
    }

    private static func check(
        _ bytes: [UInt8], _ file: String, _ folder: String, _ environment: [String: String]
    ) throws(EndpointAdditionError) -> [Finding] {
        let reading = DecodingContext(file: file, folder: folder, environment: environment)
        let text = String(decoding: bytes, as: UTF8.self)
        guard let configuration = Configuration.read(text: text, reading) else {
            throw .mistakes(reading.findings.filter { $0.severity == .mistake })
        }
        let check = ConfigurationCheck(configuration)
        guard check.passes else {
            throw .mistakes(check.findings.filter { $0.severity == .mistake })
        }
        return check.findings
    }

    /// Beside the file and then in its place, with its mode and owner, so that nobody ever reads a
    /// half of it.
    private static func replace(
        _ path: String, _ old: FileContents, with bytes: [UInt8]
    ) throws(EndpointAdditionError) {
        var status = stat()
        guard stat(path, &status) == 0, try contents(path).bytes == old.bytes else {
            throw .changed
        }
        let fresh = "\(path).new-\(getpid())"
        do throws(SandboxFolderError) {
            try PrivateFile.write(bytes, to: fresh, mode: old.mode)
            // Only root can give a file away; for others it is theirs already.
            _ = chown(fresh, status.st_uid, status.st_gid)
            guard chmod(fresh, old.mode) == 0, rename(fresh, path) == 0 else {
                throw .system(operation: "rename", path: path, errno: errno)
            }
            let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
            try PrivateFile.syncFolder(folder.isEmpty ? "/" : folder)
        } catch {
            unlink(fresh)
            throw .system("\(error)")
        }
    }
}

/// Why no endpoint was added. Nothing was changed.
package enum EndpointAdditionError: Error, Sendable {
    /// The text is written in a way that no place for the endpoint could be proved right.
    case noPlace
    /// A key or secret of this name is there already.
    case fileExists(String)
    /// What `check` would complain of.
    case mistakes([Finding])
    /// Somebody else changed the file meanwhile.
    case changed
    case system(String)
}
