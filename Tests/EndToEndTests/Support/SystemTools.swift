import Foundation
import Glibc
import TestSupport

/// System tools that the failure tests need and that may be missing.
enum SystemTools {
    /// Whether strace may trace ipnd here: ipnd is not dumpable, so only root sees its files.
    static let canInject: Bool = {
        guard geteuid() == 0, let program = installedProgram("strace") else { return false }
        let works = try? run(program, ["-o", "/dev/null", "-e", "trace=none", "/bin/true"])
        return works?.status == 0
    }()

    /// Runs a program under strace, which applies `injection` (`fdatasync:error=EIO:when=5`) to
    /// calls on the instance's first segment. With `-D` the program stays the test's child.
    static func inject(_ injection: String, into instance: Instance) -> [String]? {
        guard canInject, let program = installedProgram("strace") else { return nil }
        let call = injection.prefix { $0 != ":" }
        return [
            program, "-D", "-f", "-o", "/dev/null", "-P",
            "\(instance.journal)/0000000001.segment", "-e", "trace=\(call)", "-e",
            "inject=\(injection)",
        ]
    }

    /// Runs a program after `script`, as root in a separate mount namespace.
    static func ownMounts(_ script: String) -> [String]? {
        guard let program = installedProgram("unshare") else { return nil }
        let works = try? run(program, ["-Urm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])
        return works?.status == 0
            ? [program, "-Urm", "/bin/sh", "-c", "\(script) && exec \"$@\"", "sh"] : nil
    }
}
