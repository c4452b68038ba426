import Foundation
import Glibc
import TestSupport
import Testing

/// `ipnd check` says what a start would say: about the journal, and about folders that the
/// service's user may not write.
@Suite(.ownThreads) struct CheckedStartTests {
    private static func check(_ instance: Instance, _ arguments: [String] = []) throws -> Finished {
        try run(
            Binary.ipnd, ["check", "--config", instance.configurationFile] + arguments)
    }

    private static func stopped() throws -> Instance {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "R-1").request())
        #expect(instance.stop() == 0)
        return instance
    }

    /// An unmounted journal, another one, and one without its last records.
    @Test(arguments: ["journal_absent", "journal_replaced", "journal_behind"])
    func `what a start refuses is a mistake`(_ reason: String) throws {
        let instance = try Self.stopped()
        #expect(try Self.check(instance).status == 0)
        let files = FileManager.default
        switch reason {
        case "journal_absent": try files.removeItem(atPath: instance.journal)
        case "journal_replaced":
            let other = try Self.stopped()
            try files.removeItem(atPath: instance.journal)
            try files.copyItem(atPath: other.journal, toPath: instance.journal)
        default:
            let copy = "\(instance.folder)/copy"
            try files.copyItem(atPath: instance.journal, toPath: copy)
            try instance.start()
            let antom = try SandboxProvider("antom", of: instance)
            try instance.deliver(antom.delivery(reference: "R-2", number: 2).request())
            #expect(instance.stop() == 0)
            try files.removeItem(atPath: instance.journal)
            try files.moveItem(atPath: copy, toPath: instance.journal)
        }
        let checked = try Self.check(instance)
        #expect(checked.status == 78 && checked.errors.contains(reason), "\(checked.errors)")
        #expect(checked.errors.contains("--new-journal"))
        let refused = try refusedStart(instance.configurationFile)
        #expect(refused.status == 72 && refused.errors.contains(reason), "\(refused.errors)")
    }

    /// Only root can take on another user's rights.
    @Test(.enabled(if: geteuid() == 0))
    func `the folders are checked as the service's user`() throws {
        let instance = try Self.stopped()
        chmod(instance.folder, 0o755)
        #expect(try Self.check(instance).status == 0)
        let root = try Self.check(instance, ["--as", "nobody"])
        #expect(root.status == 78)
        for folder in ["journal", "index"] {
            let words = "\(instance.folder)/\(folder) cannot be written by nobody"
            #expect(root.errors.contains(words), "\(root.errors)")
            #expect(root.errors.contains("chown -R nobody \(instance.folder)/\(folder)"))
        }
        let nobody = try #require(getpwnam("nobody")).pointee.pw_uid
        for folder in ["journal", "index", "rejections", "audit"] {
            let path = "\(instance.folder)/\(folder)"
            for name in try FileManager.default.contentsOfDirectory(atPath: path) {
                chown("\(path)/\(name)", nobody, 0)
            }
            chown(path, nobody, 0)
        }
        chown(instance.folder, nobody, 0)
        let own = try Self.check(instance, ["--as", "nobody"])
        #expect(own.status == 0 && own.output.contains("nobody"), "\(own.errors)")
        // A single file of root, which `ipnd restore` may have left.
        chown("\(instance.journal)/lock", 0, 0)
        let file = try Self.check(instance, ["--as", "nobody"])
        #expect(file.status == 78 && file.errors.contains("journal/lock cannot be written"))
        #expect(try Self.check(instance, ["--as", "no-such-user"]).status == 64)
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a restored journal has the owner of its folder`() throws {
        let instance = try Self.stopped()
        let place = "\(instance.folder)/place"
        #expect(mkdir(place, 0o755) == 0)
        let nobody = try #require(getpwnam("nobody")).pointee.pw_uid
        chown(place, nobody, 0)
        let restored = try run(
            Binary.ipnd, ["restore", instance.journal, "--to", "\(place)/journal"])
        #expect(restored.status == 0 && restored.output.contains("owner        nobody"))
        for name in [""] + (try FileManager.default.contentsOfDirectory(atPath: "\(place)/journal"))
        {
            var status = stat()
            #expect(stat("\(place)/journal/\(name)", &status) == 0 && status.st_uid == nobody)
        }
    }

    @Test func `a folder that cannot be written is named`() throws {
        // A file in the place of the folder: root may write everywhere else.
        let instance = try Instance(starts: false)
        try "".write(toFile: "\(instance.folder)/index", atomically: true, encoding: .utf8)
        let checked = try Self.check(instance)
        #expect(checked.status == 78)
        #expect(checked.errors.contains("\(instance.folder)/index is not a directory"))
        try instance.start()
        #expect(instance.says("\(instance.folder)/index: the index of orders cannot be opened"))
    }
}
