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
    /// `ipnd check` does, and only then writes the endpoint: to a new file where the configuration
    /// includes a folder of files, otherwise into the configuration. Existing files are unchanged
    /// when this throws.
    ///
    /// - Throws: ``EndpointAdditionError``.
    package func add(
        to file: String, environment: [String: String] = Configuration.processEnvironment()
    ) throws(EndpointAdditionError) -> AddedEndpoint {
        let main = try ConfigurationSource(file)
        let check = EndpointAdditionCheck(
            file: file, folder: main.folder, endpoint: name, environment: environment)
        if let place = main.placeForFile(of: name) {
            guard !PrivateFile.exists(place.path) else { throw .fileExists(place.path) }
            return try keepingCredential(in: main.folder) { () throws(EndpointAdditionError) in
                let warnings = try create(place.path, main, check)
                return AddedEndpoint(warnings: warnings, file: place.shown)
            }
        }
        guard let new = EndpointInsertion(members: members).text(of: main.contents.bytes) else {
            throw .noPlace
        }
        return try keepingCredential(in: main.folder) { () throws(EndpointAdditionError) in
            let warnings = try check.warnings(new)
            try main.replace(with: new)
            return AddedEndpoint(warnings: warnings, file: nil)
        }
    }

    /// Creates the endpoint's file. The check reads it before it exists, so that a server that
    /// reloads meanwhile reads no mistake, and again afterwards, because another command may have
    /// changed the files.
    private func create(
        _ path: String, _ main: ConfigurationSource, _ check: EndpointAdditionCheck
    ) throws(EndpointAdditionError) -> [Finding] {
        let lines = members.flatMap { YAMLPiece.lines($0, indent: "") }
        let bytes = Array(lines.map { "\($0)\n" }.joined().utf8)
        _ = try check.warnings(main.contents.bytes, [path: bytes])
        try main.create(path, bytes)
        do throws(EndpointAdditionError) {
            return try check.warnings(try main.currentBytes())
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Writes the key or secret, and removes it again when `act` throws.
    private func keepingCredential(
        in folder: String, _ act: () throws(EndpointAdditionError) -> AddedEndpoint
    ) throws(EndpointAdditionError) -> AddedEndpoint {
        let path = credential.map { "\(folder)/\($0.path)" }
        if let path, let credential { try Self.write(credential.bytes, to: path) }
        do throws(EndpointAdditionError) { return try act() } catch {
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
}

/// The result of adding an endpoint.
package struct AddedEndpoint: Sendable {
    /// The warnings of the check about the new endpoint.
    package let warnings: [Finding]
    /// The new file, from the configuration's folder; nil where the configuration was changed.
    package let file: String?
}

/// Checks a configuration with the new endpoint.
struct EndpointAdditionCheck {
    let file: String
    let folder: String
    let endpoint: String
    let environment: [String: String]

    /// The warnings about the new endpoint. What the others are warned of was there before.
    ///
    /// - Parameter unwritten: Included files that do not exist yet.
    func warnings(
        _ bytes: [UInt8], _ unwritten: [String: [UInt8]] = [:]
    ) throws(EndpointAdditionError) -> [Finding] {
        let reading = DecodingContext(file: file, folder: folder, environment: environment)
        reading.unwritten = unwritten
        let text = Configuration.text(of: bytes, reading)
        guard let configuration = text.flatMap({ Configuration.read(text: $0, reading) }) else {
            throw .mistakes(
                reading.findings.filter { $0.severity == .mistake }
                    .sorted(by: Finding.isInOrder))
        }
        guard let endpoint = configuration.endpoint(named: endpoint) else { throw .noPlace }
        let check = ConfigurationCheck(configuration)
        guard check.passes else {
            throw .mistakes(check.findings.filter { $0.severity == .mistake })
        }
        return check.findings.filter {
            $0.file == endpoint.file && $0.key.hasPrefix(endpoint.key)
        }
    }
}

/// The reason why no endpoint was added. Nothing was changed.
package enum EndpointAdditionError: Error, Sendable {
    /// No place for the endpoint can be verified: the layout of the text allows none, or the
    /// configuration does not read the new file.
    case noPlace
    /// The file for the endpoint, its key or its secret already exists.
    case fileExists(String)
    /// The mistakes that the check found.
    case mistakes([Finding])
    /// Another process changed the file in the meantime.
    case changed
    case system(String)
}
