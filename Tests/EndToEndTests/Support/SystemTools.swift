import Foundation

/// What the failure tests need of the system, and may not have.
enum SystemTools {
    /// strace, which can make a system call fail. With `-D` the program keeps its place as our
    /// child.
    static func strace(_ options: [String]) -> [String]? {
        guard let program = Binary.installed("strace") else { return nil }
        let works = try? run(program, ["-o", "/dev/null", "-e", "trace=none", "/bin/true"])
        return works?.status == 0 ? [program, "-D", "-f", "-o", "/dev/null"] + options : nil
    }

    /// Runs a program after `script`, where it is root over mounts of its own.
    static func ownMounts(_ script: String) -> [String]? {
        guard let program = Binary.installed("unshare") else { return nil }
        let works = try? run(program, ["-Urm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])
        return works?.status == 0
            ? [program, "-Urm", "/bin/sh", "-c", "\(script) && exec \"$@\"", "sh"] : nil
    }
}
