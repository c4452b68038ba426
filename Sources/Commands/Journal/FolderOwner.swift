import Console
import Glibc
import Platform

/// The owner of a folder that a command fills, perhaps as root: the service must be able to write
/// what is restored.
struct FolderOwner {
    private let path: String
    private let user: uid_t
    private let group: gid_t

    /// The owner of the folder, or of its parent if it is not there yet; nil without either.
    init?(of path: String) {
        var status = stat()
        var parent = path[...]
        while parent.count > 1, parent.hasSuffix("/") { parent.removeLast() }
        parent = parent.lastIndex(of: "/").map { parent[..<$0] } ?? "."
        guard stat(path, &status) == 0 || stat(parent.isEmpty ? "/" : String(parent), &status) == 0
        else { return nil }
        self.path = path
        (user, group) = (status.st_uid, status.st_gid)
    }

    /// Gives the folder and the files in it to the owner, and prints that; names `chown` where that
    /// is not permitted. Does nothing where this user is the owner.
    func adopt() {
        guard geteuid() != user else { return }
        let files = ((try? Directory.list(path)) ?? []).map { "\(path)/\($0)" }
        let isDone = ([path] + files).allSatisfy { lchown($0, user, group) == 0 }
        if isDone { return StandardOutput.print("owner        \(name)") }
        StandardError.print(
            "ipnd: \(path) does not belong to \(name), who owns the folder around it: "
                + "chown -R \(name) \(path)")
    }

    private var name: String {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
    }
}
