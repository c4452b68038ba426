import Glibc
import Platform

/// The state of a directory that ipnd writes to, or creates when it starts.
struct DataDirectory {
    enum State: Equatable {
        /// The directory exists and this user may write to it.
        case ready
        /// The directory is created at start: its parent exists and is writable.
        case creatable
        case missingParent(String)
        case notDirectory(String)
        /// The directory, its parent or a file in it is not writable; `errno` is the reason.
        case notWritable(String, errno: Int32)
    }

    let path: String
    let state: State
    /// Bytes that an unprivileged process can still write there; nil if the kernel does not report
    /// it.
    let freeBytes: Int?

    init(path: String) {
        self.path = path
        let parent = Self.parent(of: path)
        var status = stat()
        if stat(path, &status) == 0 {
            state = Self.state(of: path, status, else: .ready)
        } else if errno != ENOENT {
            state = .notWritable(path, errno: errno)
        } else if stat(parent, &status) == 0 {
            state = Self.state(of: parent, status, else: .creatable)
        } else {
            state = .missingParent(parent)
        }
        var system = statvfs()
        let place = state == .ready ? path : parent
        freeBytes =
            statvfs(place, &system) == 0
            ? Int(clamping: system.f_bavail.multipliedReportingOverflow(by: system.f_frsize).0)
            : nil
    }

    private static func state(of path: String, _ status: stat, else good: State) -> State {
        guard status.st_mode & S_IFMT == S_IFDIR else { return .notDirectory(path) }
        guard isAccessible(path, R_OK | W_OK | X_OK) else {
            return .notWritable(path, errno: errno)
        }
        guard good == .ready else { return good }
        // Files that a command made as root, such as `ipnd restore`.
        for name in (try? Directory.list(path)) ?? [] {
            let file = "\(path)/\(name)"
            guard isAccessible(file, R_OK | W_OK) || errno == ENOENT else {
                return .notWritable(file, errno: errno)
            }
        }
        return good
    }

    /// With the effective rights, which `ServiceUser` changes.
    private static func isAccessible(_ path: String, _ mode: Int32) -> Bool {
        faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0
    }

    private static func parent(of path: String) -> String {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }
}

extension DataDirectory {
    /// The problem and its remedy; nil when a server could start.
    ///
    /// - Parameter user: The name of the user that runs the server, if it is another one.
    func problem(for user: String?) -> (problem: String, remedy: String)? {
        switch state {
        case .ready, .creatable: nil
        case .missingParent(let parent): ("\(parent) does not exist", "mkdir -p \(parent)")
        case .notDirectory(let path):
            ("\(path) is not a directory", "choose another directory or move the file away")
        case .notWritable(let path, let code):
            if let user {
                (
                    "\(path) cannot be written by \(user): \(String(cString: strerror(code)))",
                    "chown -R \(user) \(self.path)"
                )
            } else {
                (
                    "\(path) cannot be written: \(String(cString: strerror(code)))",
                    "make it writable for the user that runs ipnd"
                )
            }
        }
    }
}
