import Foundation
import Glibc
import TestSupport

/// What the failure tests need of the system, and may not have.
enum SystemTools {
    /// Whether strace may trace ipnd here: only root sees the files of a process that lets nobody
    /// look at its memory.
    static let canInject: Bool = {
        guard geteuid() == 0, let program = installedProgram("strace") else { return false }
        let works = try? run(program, ["-o", "/dev/null", "-e", "trace=none", "/bin/true"])
        return works?.status == 0
    }()

    /// Runs a program under strace, which does what `injection` says (`fdatasync:error=EIO:when=5`)
    /// to calls on the instance's first segment. With `-D` the program keeps its place as our
    /// child.
    static func inject(_ injection: String, into instance: Instance) -> [String]? {
        guard canInject, let program = installedProgram("strace") else { return nil }
        let call = injection.prefix { $0 != ":" }
        return [
            program, "-D", "-f", "-o", "/dev/null", "-P",
            "\(instance.journal)/0000000001.segment", "-e", "trace=\(call)", "-e",
            "inject=\(injection)",
        ]
    }

    /// Runs a program after `script`, where it is root over mounts of its own.
    static func ownMounts(_ script: String) -> [String]? {
        guard let program = installedProgram("unshare") else { return nil }
        let works = try? run(program, ["-Urm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])
        return works?.status == 0
            ? [program, "-Urm", "/bin/sh", "-c", "\(script) && exec \"$@\"", "sh"] : nil
    }
}
