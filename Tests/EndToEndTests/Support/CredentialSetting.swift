import Foundation
import TestSupport

/// An instance whose keys and secrets are unreadable for its user, with copies in systemd's
/// credentials folder.
final class CredentialSetting {
    let instance: Instance
    let credentials: String
    private let program: String?

    /// The user id of `nobody` in Debian and elsewhere, which owns no file.
    private static let user = "65534"

    /// Without root, a mode without permissions has the same effect.
    private static var isRoot: Bool { geteuid() == 0 }

    var isPossible: Bool { !Self.isRoot || program != nil }

    init() throws {
        program = installedProgram("setpriv")
        instance = try Instance(starts: false)
        credentials = "\(instance.folder)/credentials"
        let manager = FileManager.default
        try manager.createDirectory(atPath: credentials, withIntermediateDirectories: true)
        for folder in ["keys", "secrets"] {
            for name in try manager.contentsOfDirectory(atPath: "\(instance.folder)/\(folder)") {
                let file = "\(instance.folder)/\(folder)/\(name)"
                let copy = "\(credentials)/\(folder)_\(name)"
                try manager.copyItem(atPath: file, toPath: copy)
                try manager.setAttributes([.posixPermissions: 0o400], ofItemAtPath: copy)
            }
        }
    }

    /// Starts it as a user who may read only the configuration and the credentials.
    ///
    /// - Parameter hidesFolders: Whether the ages of the files are hidden too.
    func start(hidesFolders: Bool = false) throws {
        instance.environment = ["CREDENTIALS_DIRECTORY": credentials]
        let manager = FileManager.default
        for folder in ["keys", "secrets"] {
            for name in try manager.contentsOfDirectory(atPath: "\(instance.folder)/\(folder)") {
                let file = "\(instance.folder)/\(folder)/\(name)"
                try manager.setAttributes(
                    [.posixPermissions: Self.isRoot ? 0o600 : 0o000], ofItemAtPath: file)
            }
        }
        if Self.isRoot, let program {
            // The files that systemd makes accessible to the service: data, configuration and
            // copies.
            try manager.createDirectory(
                atPath: instance.journal, withIntermediateDirectories: true)
            for part in ["/ipnd.yaml", "/endpoints.d", "/credentials", "/journal"] {
                _ = try run("chown", ["-R", Self.user, instance.folder + part])
            }
            _ = try run("chown", [Self.user, instance.folder])
            for folder in ["keys", "secrets"] {
                try manager.setAttributes(
                    [.posixPermissions: hidesFolders ? 0o700 : 0o755],
                    ofItemAtPath: "\(instance.folder)/\(folder)")
            }
            instance.wrapper = [
                program, "--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups",
            ]
        }
        for folder in ["keys", "secrets"] where !Self.isRoot && hidesFolders {
            try manager.setAttributes(
                [.posixPermissions: 0o000], ofItemAtPath: "\(instance.folder)/\(folder)")
        }
        defer { readable() }
        try instance.start()
    }

    /// The test itself reads them, in the provider's role.
    private func readable() {
        for folder in ["keys", "secrets"] where !Self.isRoot {
            _ = try? run("chmod", ["-R", "u+rX", "\(instance.folder)/\(folder)"])
        }
    }

    /// Rewrites a file, as its owner does to replace a key.
    func replace(_ name: String) throws {
        let path = "\(instance.folder)/\(name)"
        if !Self.isRoot { chmod(path, 0o600) }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try bytes.write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes(
            [
                .posixPermissions: Self.isRoot ? 0o600 : 0o000,
                .modificationDate: Date(timeIntervalSinceNow: 2),
            ], ofItemAtPath: path)
    }
}
