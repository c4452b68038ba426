import Foundation
import PostgreSQLFixture
import TestSupport
import Testing

/// `ipnd database import` and `export` with the real binary and a real server.
@Suite(.ownThreads, .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct DatabaseMoveTests {
    /// A journal with corrections, or one whose first segments retention has deleted.
    @Test(arguments: [false, true])
    func `a journal goes into the database and back with all that is known`(isRetained: Bool) throws
    {
        let moving = try MovingInstance(.history())
        let instance = moving.instance
        if isRetained {
            try instance.loseTheBeginning()
        } else {
            let corrected = try run(
                Binary.ipnd,
                [
                    "journal", "reread", instance.journal, "--config", instance.configurationFile,
                    "--apply",
                ])
            try #require(corrected.status == 0, "\(corrected.errors)")
        }
        let imported = try moving.ipnd("import", instance.journal)
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.output.contains("complete"))
        let again = try moving.ipnd("import", instance.journal)
        #expect(again.output.contains("imported     0 records"), "\(again.output)")
        let verified = try moving.ipnd("verify")
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        #expect(verified.output.contains("intact"))

        let names = try moving.names()
        #expect(names.count >= 8)
        try moving.use(journal: "journal")
        try instance.start()
        let truth = try moving.pages(names)
        let feed = try feed(instance)
        #expect((feed["gap"] != nil) == isRetained)
        instance.stop()

        try moving.use(journal: nil)
        try instance.start()
        #expect(try moving.pages(names) == truth)
        #expect(try self.feed(instance) == feed)
        try replayChangesNothing(instance.journal, moving)
        instance.stop()

        let target = "\(instance.folder)/exported"
        let exported = try moving.ipnd("export", target, "--segment-mib", "16")
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(try moving.cat(target) == moving.cat(instance.journal))
        try moving.use(journal: "exported")
        let sound = try run(
            Binary.ipnd,
            ["journal", "verify", target, "--config", instance.configurationFile])
        #expect(sound.status == 0, "\(sound.output)\(sound.errors)")
        let journals = try [instance.journal, target].map {
            try run(Binary.ipnd, ["journal", "stat", $0]).lines.first
        }
        #expect(journals[0] == journals[1], "it is the same store")

        try instance.start()
        #expect(try moving.pages(names) == truth)
        #expect(try self.feed(instance) == feed)
        try replayChangesNothing(instance.journal, moving)
        instance.stop()
    }

    /// Records that the current rules interpret differently are corrected in the database as in a
    /// journal.
    @Test func `a database is reread as a journal is`() throws {
        let moving = try MovingInstance(.history())
        let instance = moving.instance
        #expect(try moving.ipnd("import", instance.journal).status == 0)
        let names = try moving.names()
        let listed = try moving.ipnd("reread")
        #expect(listed.status == 0, "\(listed.errors)")
        #expect(listed.output.contains("17 records, 15 interpreted differently, 0 could not be"))
        #expect(listed.output.contains("9 citcon-pay: status paid -> unsigned_claim"))
        #expect(try moving.ipnd("reread").output == listed.output, "listing changes nothing")
        #expect(try moving.ipnd("reread", "--apply").status == 64)

        let copy = "\(instance.folder)/copy"
        let applied = try moving.ipnd("reread", "--apply", "--copy", copy)
        #expect(applied.status == 0, "\(applied.output)\(applied.errors)")
        #expect(applied.output.contains("15 corrections appended"))
        #expect(applied.output.hasSuffix("complete\n"))
        let again = try moving.ipnd("reread", "--apply", "--copy", copy)
        #expect(again.output.contains("17 records, 0 interpreted differently"), "\(again)")
        let verified = try moving.ipnd("verify")
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        #expect(try moving.psql("SELECT count(*) FROM event") == "32")

        // Equal to the same journal after the same correction.
        let corrected = try run(
            Binary.ipnd,
            [
                "journal", "reread", instance.journal, "--config", instance.configurationFile,
                "--apply",
            ])
        try #require(corrected.status == 0, "\(corrected.errors)")
        try moving.use(journal: "journal")
        try instance.start()
        let truth = try moving.pages(names)
        instance.stop()
        try moving.use(journal: nil)
        try instance.start()
        #expect(try moving.pages(names) == truth)
        try replayChangesNothing(instance.journal, moving)
        instance.stop()

        // As after an end with empty tables: the import continues.
        _ = try moving.psql(
            """
            TRUNCATE event, batch, identity, order_state, alias;
            UPDATE head SET sequence = 0, chain = decode(repeat('00', 32), 'hex');
            UPDATE meta SET version = -version
            """)
        let refused = try moving.ipnd("reread")
        #expect(refused.status == 78 && refused.errors.contains("ipnd database import DIR"))
        let finished = try moving.ipnd("import", copy)
        #expect(finished.output.contains("complete"), "\(finished.errors)")
        try instance.start()
        #expect(try moving.pages(names) == truth)
        instance.stop()
    }

    /// The whole feed, as a new consumer receives it.
    private func feed(_ instance: Instance) throws -> NSDictionary {
        try instance.admin().get("/events?limit=1000").object() as NSDictionary
    }

    /// After the move, every notification of the journal is a duplicate.
    private func replayChangesNothing(_ journal: String, _ moving: MovingInstance) throws {
        let admin = try moving.instance.admin()
        let head = try admin.get("/events?limit=1").object()["last"] as? Int
        let sent = try run(
            Binary.ipnd,
            ["replay", journal, "--url", "http://127.0.0.1:\(moving.instance.port)"])
        #expect(sent.status == 0, "\(sent.output)\(sent.errors)")
        #expect(try admin.get("/events?limit=1").object()["last"] as? Int == head)
    }

    private func filled(_ count: Int) throws -> MovingInstance {
        let moving = try MovingInstance(Instance(starts: false), partitionEvents: 1000)
        try fill(moving, count, "F")
        return moving
    }

    /// Sends signed notifications of new orders, which are recorded in the journal.
    private func fill(_ moving: MovingInstance, _ count: Int, _ prefix: String) throws {
        let made = try run(
            Binary.bench,
            [
                "fill", "--config", moving.instance.configurationFile, "--endpoint", "citcon",
                "--count", "\(count)", "--prefix", prefix,
            ])
        try #require(made.status == 0, "\(made.errors)")
    }

    @Test func `import and export go on where they were killed`() throws {
        let moving = try filled(6000)
        let journal = moving.instance.journal
        var imported: [Int] = [0]
        for _ in 1...2 {
            try moving.kill("import", journal, after: 3_000_000, .toServer)
            imported.append(try #require(Int(moving.psql("SELECT sequence FROM head"))))
        }
        #expect(imported == imported.sorted() && Set(imported).count == 3, "\(imported)")
        try #require(imported[2] < 6000, "\(imported)")
        let refused = try refusedStart(
            "\(moving.instance.folder)/database.yaml",
            environment: ["IPND_DATABASE": moving.connection])
        #expect(refused.status == 78)
        #expect(refused.errors.contains("ipnd database import DIR"))
        let whole = try moving.ipnd("import", journal)
        #expect(whole.status == 0, "\(whole.errors)")
        #expect(try moving.psql("SELECT count(*) FROM event") == "6000")
        let verified = try moving.ipnd("verify")
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        #expect(verified.output.contains("signatures   6000 verified, 0 failed"))

        let target = "\(moving.instance.folder)/exported"
        try moving.kill("export", target, "--segment-mib", "16", after: 3_000_000, .toClient) {
            !((try? FileManager.default.contentsOfDirectory(atPath: target)) ?? []).isEmpty
        }
        let exported = try moving.ipnd("export", target, "--segment-mib", "16")
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(try moving.cat(target) == moving.cat(journal))
    }

    @Test func `what the journal got later follows and another past is refused`() throws {
        let moving = try filled(50)
        let journal = moving.instance.journal
        let old = "\(moving.instance.folder)/old"
        try FileManager.default.copyItem(atPath: journal, toPath: old)
        #expect(try moving.ipnd("import", journal).status == 0)
        try fill(moving, 10, "G")
        let rest = try moving.ipnd("import", journal)
        #expect(rest.output.contains("imported     10 records"), "\(rest.errors)")
        #expect(try moving.ipnd("import", old).output.contains("imported     0 records"))
        // The copy continues on its own; from then on there are two separate records.
        _ = try moving.psql(
            """
            UPDATE event SET record = convert_to(
                replace(convert_from(record, 'UTF8'), 'received":"20', 'received":"19'), 'UTF8')
            """)
        let parted = try moving.ipnd("import", journal)
        #expect(parted.status == 78)
        #expect(parted.errors.contains("both were written to"), "\(parted.errors)")
        let target = try moving.ipnd("export", journal)
        #expect(target.status == 72)
        #expect(target.errors.contains("name an empty directory"), "\(target.errors)")
    }

    @Test func `a refusal is one line that says what to do`() throws {
        let moving = try filled(5)
        let folder = moving.instance.folder
        func refused(_ finished: Finished, _ status: Int32, _ words: String) {
            #expect(finished.status == status, "\(finished.output)\(finished.errors)")
            #expect(finished.errors.contains(words), "\(finished.errors)")
            let lines = finished.errors.split(separator: "\n").filter {
                !$0.contains(": warning: ")
            }
            #expect(lines.count == 1, "\(finished.errors)")
        }
        refused(try moving.ipnd("import", "\(folder)/nothing"), 66, "holds no journal")
        refused(try moving.ipnd("export", folder), 72, "not empty")
        let role = "mover_\(moving.database)"
        _ = try moving.psql(
            "CREATE ROLE \(role) LOGIN PASSWORD 'pw'; GRANT ipnd_writer TO \(role)")
        let plain =
            "host=127.0.0.1 port=\(moving.server.port) dbname=\(moving.database) user=\(role) "
            + "password=pw"
        refused(
            try moving.ipnd("import", moving.instance.journal, connection: plain), 78,
            "as the owner of the tables")
        #expect(try moving.ipnd("import", moving.instance.journal).status == 0)
        let other = try filled(5)
        refused(
            try moving.ipnd("import", other.instance.journal), 78, "empty tables only")
        refused(try moving.ipnd("export", other.instance.journal), 72, "holds the journal")
        _ = try moving.psql("UPDATE meta SET version = 99")
        refused(try moving.ipnd("verify"), 78, "newer ipnd")
        refused(try moving.ipnd("import", moving.instance.journal), 78, "newer ipnd")
        refused(try moving.ipnd("export", "\(folder)/new"), 78, "newer ipnd")
        // Changes one byte of the only frame.
        let segment = "\(other.instance.journal)/0000000001.segment"
        let handle = try #require(FileHandle(forUpdatingAtPath: segment))
        try handle.seek(toOffset: 700)
        try handle.write(contentsOf: Data([0x7f]))
        try handle.close()
        refused(try other.ipnd("import", other.instance.journal), 72, "damaged")
    }

    @Test func `a server's journal is imported and the tables stay closed until it has stopped`()
        throws
    {
        let moving = try MovingInstance(Instance(starts: false))
        let instance = moving.instance
        try instance.start()
        let sent = try run(
            Binary.ipnd,
            [
                "send", "--config", instance.configurationFile, "--endpoint", "ecommpay", "--count",
                "5", "--reference", "L", "--url", "http://127.0.0.1:\(instance.port)",
            ])
        try #require(sent.status == 0, "\(sent.errors)")
        let live = try moving.ipnd("import", instance.journal)
        #expect(live.status == 0, "\(live.errors)")
        #expect(live.output.contains("unfinished"))
        #expect(try moving.ipnd("check").status == 78)
        instance.stop()
        #expect(try moving.ipnd("import", instance.journal).output.contains("complete"))
        #expect(try moving.psql("SELECT sequence FROM head") == "5")
    }
}
