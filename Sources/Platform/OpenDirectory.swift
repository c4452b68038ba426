import Glibc
import SystemPackage

/// An open directory. Names are looked up in this one, wherever its own name leads by now.
package final class OpenDirectory: Sendable {
    let descriptor: Int32

    /// Opens `path`. Throws the error of open(2); `Errno.notDirectory` for anything else.
    package init(_ path: String) throws(Errno) {
        descriptor = try FileCall.retrying {
            Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
    }

    deinit { _ = Glibc.close(descriptor) }

    /// Takes an exclusive flock(2), until this is let go. Throws `Errno.wouldBlock` when somebody
    /// else holds it, and `Errno.badFileDescriptor` on a file system that only locks what is open
    /// for writing, as NFS does.
    package func lock() throws(Errno) {
        try FileCall.retrying { flock(descriptor, LOCK_EX | LOCK_NB) }
    }

    /// Lets the lock go.
    package func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Which directory this is.
    package func identity() throws(Errno) -> FileIdentity {
        try FileIdentity(descriptor: descriptor)
    }
}

extension OpenDirectory? {
    /// What the `…at` calls take: this directory, or the working directory.
    var base: Int32 { self?.descriptor ?? AT_FDCWD }
}
