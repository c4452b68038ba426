import Glibc
import TestSupport
import Testing

@testable import Configuration

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
    func theUnitNamesTheUser(_ unit: String, _ name: String?) throws {
        let folder = TemporaryFolder()
        let file = try folder.write("ipnd.yaml", "")
        let text = unit.replacing("FILE", with: file)
        _ = try folder.write("units/ipnd.service", text)
        let found = ServiceUser.ofUnit(
            serving: file, in: [folder.file("none"), folder.file("units")])
        #expect(found?.name == name)
    }

    @Test func rightsAreTakenOnAndGivenBack() throws {
        let user = try #require(ServiceUser(named: "nobody"))
        let before = (geteuid(), getegid())
        let inside = user.run { geteuid() }
        #expect(inside == (before.0 == 0 ? user.user : before.0))
        #expect((geteuid(), getegid()) == before)
        #expect(ServiceUser(named: "no-such-user") == nil)
    }
}
