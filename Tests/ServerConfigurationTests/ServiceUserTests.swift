import Foundation
import Glibc
import TestSupport
import Testing

@testable import ServerConfiguration

/// The user with whose rights root checks the folders.
@Suite struct ServiceUserTests {
    @Test(arguments: [
        ("User=nobody\nExecStart=/usr/bin/ipnd serve --config FILE\n", "nobody" as String?),
        ("ExecStart=/usr/bin/ipnd serve --config FILE\nUser=nobody\n", "nobody"),
        ("DynamicUser=yes\nUser=root\nExecStart=/usr/bin/ipnd serve --config FILE\n", "root"),
        ("User=nobody\nExecStart=/usr/bin/ipnd serve --config /etc/hostname\n", nil),
        ("User=no-such-user\nExecStart=/usr/bin/ipnd serve --config FILE\n", nil),
        ("ExecStart=/usr/bin/ipnd serve --config FILE\n", nil), ("", nil),
    ])
    func `the unit names the user`(_ unit: String, _ name: String?) throws {
        let folder = TemporaryFolder()
        let file = try folder.write("ipnd.yaml", "")
        let text = unit.replacing("FILE", with: file)
        _ = try folder.write("units/ipnd.service", text)
        let found = ServiceUser.ofUnit(
            serving: file, in: [folder.file("none"), folder.file("units")])
        #expect(found?.name == name)
    }

    /// Only this thread's: other threads, such as those of other tests, keep theirs.
    @Test func `rights are taken on and given back`() throws {
        let user = try #require(ServiceUser(named: "nobody"))
        let folder = TemporaryFolder()
        let secret = try folder.write("secret", "of root")
        chmod(secret, 0o600)
        let isReadable = { @Sendable in faccessat(AT_FDCWD, secret, R_OK, AT_EACCESS) == 0 }
        // A thread that exists already, because a new one would inherit the access.
        let (ask, answered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let elsewhere = Box(false)
        Thread.detachNewThread {
            ask.wait()
            elsewhere.set(isReadable())
            answered.signal()
        }
        let inside = user.run {
            ask.signal()
            answered.wait()
            return isReadable()
        }
        #expect(inside == (geteuid() != 0))
        #expect(elsewhere.get() && isReadable())
        #expect(ServiceUser(named: "no-such-user") == nil)
    }
}
