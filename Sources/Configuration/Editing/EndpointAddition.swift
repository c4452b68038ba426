import Bytes
import Glibc
import Platform
import Providers

/// A new endpoint for an existing configuration: its lines, and its key or secret.
package struct EndpointAddition: Sendable {
    package let provider: ProviderDescriptor
    package let name: String
    package let path: String
    /// The members that follow `provider:`.
    package let settings: [YAMLPiece.Member]
    /// The path of the key or secret below the configuration's folder, and its content.
    package let credential: (path: String, bytes: [UInt8])

    package init(
        _ provider: ProviderDescriptor, name: String, path: String,
        settings: [YAMLPiece.Member], credential: [UInt8]
    ) {
        self.provider = provider
        self.name = name
        self.path = path
        self.settings = settings
        self.credential = (Self.credentialPath(provider, name), credential)
    }

    /// The path of an endpoint's key or secret, the same as in the folder of `ipnd init`.
    package static func credentialPath(_ provider: ProviderDescriptor, _ name: String) -> String {
        provider.credential == .rsaKeyPair ? "keys/\(name).pem" : "secrets/\(name)"
    }

    var members: [YAMLPiece.Member] {
        [
            .init("name", .text(name)), .init("path", .text(path)),
            .init("provider", .text(provider.name)),
        ] + settings
    }

    /// The lines of the item, for a user who has to insert them by hand.
    package var lines: [String] {
        members.flatMap { YAMLPiece.lines($0, indent: "") }.enumerated()
            .map { ($0.offset == 0 ? "  - " : "    ") + $0.element }
    }

    /// Writes the key or secret (mode 0600), checks the configuration with the new endpoint as
    /// `ipnd check` does, and only then replaces the file. Existing files are unchanged when this
    /// throws.
    ///
    /// - Returns: The warnings of the check.
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
        let path = "\(folder)/\(credential.path)"
        guard !PrivateFile.exists(path) else { throw .fileExists(path) }
        do throws(SandboxFolderError) {
            let parent = path[..<(path.lastIndex(of: "/") ?? path.endIndex)]
            try PrivateFile.makeFolder(String(parent))
            try PrivateFile.write(credential.bytes, to: path, mode: 0o600)
            try PrivateFile.syncFolder(String(parent))
        } catch {
            throw .system("\(error)")
        }
        do throws(EndpointAdditionError) {
            let warnings = try Self.check(new, file, folder, environment)
            try Self.replace(place, old, with: new)
            return warnings
        } catch {
            unlink(path)
            throw error
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

    /// Writes the new text beside the file and renames it, with the old mode and owner, so that no
    /// reader sees half of it.
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
            // Only root can change the owner; for other users the file is already theirs.
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

/// The reason why no endpoint was added. Nothing was changed.
package enum EndpointAdditionError: Error, Sendable {
    /// The layout of the text allows no place for the endpoint that can be verified.
    case noPlace
    /// The file for the key or secret already exists.
    case fileExists(String)
    /// The mistakes that the check found.
    case mistakes([Finding])
    /// Another process changed the file in the meantime.
    case changed
    case system(String)
}
