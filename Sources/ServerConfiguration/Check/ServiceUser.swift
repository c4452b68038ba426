import Glibc
import Platform

/// The user as whom the service runs. Its folders are checked with its rights: what root may write,
/// it may not.
package struct ServiceUser: Sendable, Equatable {
    package let name: String
    let user: uid_t
    let group: gid_t

    /// Nil if the system has no user of this name.
    package init?(named name: String) {
        guard let entry = getpwnam(name) else { return nil }
        self.name = name
        user = entry.pointee.pw_uid
        group = entry.pointee.pw_gid
    }

    /// The user of the unit `ipnd.service` that serves this configuration; nil without one, or if
    /// systemd gives the unit a user at its start.
    ///
    /// - Parameter folders: systemd's folders of units (systemd.unit(5)), by precedence.
    package static func ofUnit(
        serving file: String,
        in folders: [String] = [
            "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
            "/usr/lib/systemd/system", "/lib/systemd/system",
        ]
    ) -> ServiceUser? {
        let unit = folders.lazy.compactMap { text(of: "\($0)/ipnd.service") }.first
        guard let unit, let path = resolved(file) else { return nil }
        var name: String?
        var isDynamic = false
        var serves = false
        for line in unit.split(separator: "\n") {
            guard let mark = line.firstIndex(of: "=") else { continue }
            let value = line[line.index(after: mark)...]
            switch line[..<mark] {
            case "User": name = String(value)
            case "DynamicUser": isDynamic = value == "yes" || value == "true"
            case "ExecStart":
                serves = value.split(separator: " ").contains { resolved(String($0)) == path }
            default: break
            }
        }
        guard serves else { return nil }
        // A dynamic user has the unit's name, unless the system has that user: then it is used.
        return (name ?? (isDynamic ? "ipnd" : nil)).flatMap { ServiceUser(named: $0) }
    }

    /// Whether this process may take on its rights.
    package var canBeTaken: Bool { geteuid() == 0 || geteuid() == user }

    /// Runs `body` with its file access, on this thread only; with the process's own access where
    /// root's rights are missing.
    func run<Value>(_ body: () -> Value) -> Value {
        guard geteuid() == 0, user != 0 else { return body() }
        return ThreadAccess.run(as: name, user: user, group: group, body) ?? body()
    }

    private static func text(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
