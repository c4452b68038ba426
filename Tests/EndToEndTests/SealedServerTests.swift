import Foundation
import PostgreSQLFixture
import TestSupport
import Testing

/// With a master key, the real binary stores nothing personal that can be read without it.
@Suite(.ownThreads) struct SealedServerTests {
    private static let email = "jane@customer.example"
    private static let members = #""customer":{"email":"\#(email)"},"#
    private static let key = String(repeating: "5a", count: 32)
    private let folder = TemporaryFolder()

    private func instance(
        _ storage: StorageKind = .journal, edit: (String) -> String = { $0 }
    ) throws -> Instance {
        let key = try folder.write("master", Self.key + "\n")
        return try Instance(on: storage) {
            edit("personal: {masterKeys: [{name: first, key: {file: \(key)}}]}\n" + $0)
        }
    }

    private func send(_ request: [UInt8], to instance: Instance) throws -> Int {
        let client = try instance.client()
        try client.send(request)
        return try client.receive().status
    }

    /// The files below the instance's folder that contain `text`.
    private func files(_ instance: Instance, with text: String) throws -> [String] {
        let all = try #require(FileManager.default.enumerator(atPath: instance.folder))
        return all.compactMap { $0 as? String }.filter { name in
            let content = FileManager.default.contents(atPath: "\(instance.folder)/\(name)")
            return content?.range(of: Data(text.utf8)) != nil
        }
    }

    private func ipnd(_ instance: Instance, _ arguments: [String]) throws -> Finished {
        try run(Binary.ipnd, arguments)
    }

    @Test func `records are read with the key only`() throws {
        let instance = try instance()
        let webhook = try SignedWebhook(instance)
        #expect(try send(webhook.request("R-1", members: Self.members), to: instance) == 200)
        #expect(try send(webhook.request("R-1", members: Self.members), to: instance) == 200)
        let forged = webhook.request(
            "R-9", members: Self.members, signature: String(repeating: "0", count: 64))
        #expect(try send(forged, to: instance) == 401)
        let admin = try instance.admin()
        let metadata = #"{"email":"\#(Self.email)"}"#
        let registered = try admin.post(
            "/orders/hmac/R-2",
            #"{"amount":{"minor":100,"currency":"EUR"},"metadata":\#(metadata)}"#)
        #expect(registered.status == 201, "\(registered.body)")
        #expect(
            eventually {
                (try? admin.get("/orders?endpoint=hmac").body.contains(Self.email)) == true
            })
        // The feed.
        let events = try admin.get("/events").body
        #expect(events.contains(Self.email) && !events.contains(#""sealed""#), "\(events)")
        instance.stop()
        #expect(try files(instance, with: Self.email) == [])

        let file = instance.configurationFile
        let sealed = try ipnd(instance, ["journal", "cat", instance.journal])
        #expect(sealed.output.contains(#""sealed":{"of":"request""#), "\(sealed)")
        #expect(!sealed.output.contains(Self.email))
        let opened = try ipnd(instance, ["journal", "cat", instance.journal, "--config", file])
        #expect(opened.lines.count == 2 && !opened.output.contains(#""sealed""#), "\(opened)")
        #expect(opened.output.contains(Self.email))
        let listed = try ipnd(
            instance, ["orders", "--journal", instance.journal, "--config", file, "--json"])
        #expect(listed.output.contains(Self.email), "\(listed)")
        let plain = try ipnd(instance, ["journal", "verify", instance.journal])
        #expect(plain.status == 0, "\(plain)")
        let verified = try ipnd(
            instance, ["journal", "verify", instance.journal, "--config", file])
        #expect(verified.output.contains("signatures   1 verified, 0 failed"), "\(verified)")
        let reread = try ipnd(
            instance, ["journal", "reread", instance.journal, "--config", file])
        #expect(reread.output.contains("1 record, 0 interpreted differently, 0"), "\(reread)")

        // Refused requests.
        let refused = try ipnd(instance, ["rejections", "--config", file, "--json"])
        #expect(refused.lines.count == 1 && refused.output.contains(Self.email), "\(refused)")
        let explained = try ipnd(instance, ["explain", "--config", file])
        #expect(explained.output.contains("signature_mismatch"), "\(explained)")
        let log = instance.folder + "/rejections"
        let hidden = try ipnd(instance, ["rejections", "--directory", log, "--json"])
        #expect(hidden.lines.count == 1 && !hidden.output.contains(Self.email), "\(hidden)")

        // What was sealed is sent again.
        try instance.start()
        let url = ["--url", "http://127.0.0.1:\(instance.port)"]
        let skipped = try ipnd(instance, ["replay", instance.journal] + url)
        #expect(skipped.errors.contains("#1 skipped: it is sealed"), "\(skipped)")
        let replayed = try ipnd(instance, ["replay", instance.journal, "--config", file] + url)
        #expect(replayed.output.contains("1 sent, 1 accepted"), "\(replayed)")
        #expect(instance.stop() == 0)
    }

    @Test func `it does not start without the right key`() throws {
        let instance = try instance()
        #expect(try send(SignedWebhook(instance).request("R-1"), to: instance) == 200)
        instance.stop()
        for (key, reason) in [
            (String(repeating: "00", count: 32), "the master key \"first\" is not the one"),
            ("zz", "is no key of 32 bytes"),
        ] {
            try folder.write("master", key)
            let started = try ipnd(instance, ["serve", "--config", instance.configurationFile])
            #expect(started.status == 78 && started.errors.contains(reason), "\(started)")
            let checked = try ipnd(instance, ["check", "--config", instance.configurationFile])
            #expect(checked.status == 78 && checked.errors.contains(reason), "\(checked)")
        }
        let stat = try ipnd(instance, ["journal", "stat", instance.journal])
        #expect(stat.output.contains("from record 1"), "\(stat)")
        let text = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        try text.replacing(#/personal: .*\n/#, with: "").write(
            toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        let started = try ipnd(instance, ["serve", "--config", instance.configurationFile])
        #expect(started.status == 78, "\(started)")
        #expect(started.errors.contains("records are sealed, and no `personal.masterKeys`"))
        let checked = try ipnd(instance, ["check", "--config", instance.configurationFile])
        #expect(checked.status == 78 && checked.errors.contains("master_key_missing"))
    }

    @Test func `deliveries carry the metadata, and answers are kept sealed`() throws {
        let secret = try folder.write("secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
        let angry = try LocalServer { peer in
            guard peer.readRequest() != nil else { return }
            let text = "no \(Self.email)"
            peer.write("HTTP/1.1 500 X\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
        }
        let instance = try instance {
            $0 + "\ndestinations:\n"
                + "  - {name: angry, url: \"http://127.0.0.1:\(angry.port)/\", secrets: "
                + "[{file: \(secret)}], retrySeconds: [100000], proxy: direct}\n"
        }
        let admin = try instance.admin()
        let body =
            #"{"amount":{"minor":100,"currency":"EUR"},"metadata":{"email":"\#(Self.email)"}}"#
        #expect(try admin.post("/orders/hmac/R-2", body).status == 201)
        #expect(eventually { angry.requests.contains { $0.contains(Self.email) } })
        let isKept = try eventually {
            try admin.get("/deliveries?destination=angry").body.contains("no \(Self.email)")
        }
        #expect(isKept)
        #expect(try files(instance, with: Self.email) == [])
        let erased = try ipnd(
            instance,
            [
                "erase", "R-2", "--endpoint", "hmac", "--reason", "asked", "--yes", "--config",
                instance.configurationFile, "--url", "http://127.0.0.1:\(instance.adminPort)",
            ])
        #expect(erased.output.contains("1 answer(s) of your systems"), "\(erased)")
        let rest = try admin.get("/deliveries?destination=angry").body
        #expect(rest.contains(#""reference":"R-2""#) && !rest.contains(Self.email), "\(rest)")
        instance.stop()
    }

    @Test(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
    func `a database is sealed, verified and moved`() throws {
        let instance = try instance(.database)
        let webhook = try SignedWebhook(instance)
        #expect(try send(webhook.request("R-1", members: Self.members), to: instance) == 200)
        let events = try instance.admin().get("/events").body
        #expect(events.contains(Self.email) && !events.contains(#""sealed""#), "\(events)")
        instance.stop()
        let configuration = ["--config", instance.configurationFile]
        let verified = try ipnd(instance, ["database", "verify"] + configuration)
        #expect(verified.output.contains("signatures   1 verified, 0 failed"), "\(verified)")
        let reread = try ipnd(instance, ["database", "reread"] + configuration)
        #expect(reread.output.contains("1 record, 0 interpreted differently, 0"), "\(reread)")
        let target = "\(instance.folder)/exported"
        let exported = try ipnd(instance, ["database", "export", target] + configuration)
        #expect(exported.status == 0, "\(exported)")
        let opened = try ipnd(instance, ["journal", "cat", target] + configuration)
        #expect(opened.output.contains(Self.email), "\(opened)")
        #expect(try files(instance, with: Self.email) == [])
        // Back, and still readable.
        let backup = try ipnd(
            instance, ["backup", target, "--to", "\(instance.folder)/backup"])
        #expect(backup.output.contains("keys         copied"), "\(backup)")
        let restored = try ipnd(
            instance,
            ["restore", "\(instance.folder)/backup", "--to", "\(instance.folder)/restored"])
        #expect(restored.status == 0, "\(restored)")
        let again = try ipnd(
            instance, ["journal", "cat", "\(instance.folder)/restored"] + configuration)
        #expect(again.output == opened.output)
        let database = try SharedDatabase()
        try instance.connect(to: database.connection)
        let made = try ipnd(instance, ["database", "init"] + configuration)
        #expect(made.status == 0, "\(made)")
        let imported = try ipnd(
            instance, ["database", "import", "\(instance.folder)/restored"] + configuration)
        #expect(imported.status == 0, "\(imported)")
        try instance.start()
        #expect(try instance.admin().get("/events").body == events)
        #expect(instance.stop() == 0)
    }

    /// An order's personal data is erased on the running server: it is shown nowhere, and sums,
    /// statuses and duplicates are as before.
    @Test(arguments: StorageKind.all)
    func `an order is erased`(_ storage: StorageKind) throws {
        let instance = try instance(storage)
        let webhook = try SignedWebhook(instance)
        let request = webhook.request("R-1", members: Self.members)
        #expect(try send(request, to: instance) == 200)
        #expect(try send(webhook.request("R-2", members: Self.members), to: instance) == 200)
        let forged = webhook.request(
            "R-1", members: Self.members, signature: String(repeating: "0", count: 64))
        #expect(try send(forged, to: instance) == 401)
        let admin = try instance.admin()
        let metadata = #"{"email":"\#(Self.email)"}"#
        let body = #"{"amount":{"minor":100,"currency":"EUR"},"metadata":\#(metadata)}"#
        #expect(try admin.post("/orders/hmac/R-1", body).status == 201)
        let before = try admin.get("/orders/hmac/R-1").body
        func erase(_ arguments: [String]) throws -> Finished {
            try ipnd(
                instance,
                ["erase"] + arguments + [
                    "--reason", "asked", "--yes", "--url",
                    "http://127.0.0.1:\(instance.adminPort)", "--config",
                    instance.configurationFile,
                ])
        }
        let unknown = try erase(["R-7", "--endpoint", "hmac"])
        #expect(unknown.status == 1 && unknown.errors.contains("no order"), "\(unknown)")
        let erased = try erase(["R-1", "--endpoint", "hmac"])
        #expect(erased.status == 0, "\(erased)")
        #expect(
            erased.output.contains("erased 2 record(s), 1 refused request(s)")
                && erased.output.contains("not reached:"), "\(erased)")

        let events = try admin.get("/events").body
        #expect(events.components(separatedBy: Self.email).count == 2, "\(events)")
        #expect(events.contains(#""erased":"request""#), "\(events)")
        #expect(events.contains(#""metadata":{"erased":true}"#), "\(events)")
        #expect(
            eventually {
                (try? admin.get("/orders?endpoint=hmac").body.contains(Self.email)) == false
            })
        let order = try admin.get("/orders/hmac/R-1").body
        for member in [#""status":"#, #""captured":"#, #""expected":"#, #""flags":"#] {
            func value(_ text: String) -> Substring? {
                text.range(of: member).map { text[$0.upperBound...].prefix(30) }
            }
            #expect(value(order) == value(before) && value(order) != nil, "\(member)")
        }
        #expect(try send(request, to: instance) == 200)
        #expect(try admin.get("/events").body.components(separatedBy: "sequence").count == 5)
        let audit = try admin.get("/audit").body
        #expect(audit.contains(#""what":"erase","on":"hmac/R-1","result":200"#), "\(audit)")
        let refused = try ipnd(
            instance, ["rejections", "--config", instance.configurationFile, "--json"])
        #expect(refused.lines.count == 1 && !refused.output.contains(Self.email), "\(refused)")
        // Again, it changes nothing.
        let again = try erase(["R-1", "--endpoint", "hmac"])
        #expect(again.output.contains("0 refused request(s)"), "\(again)")
        // Nothing is that old.
        let old = try erase(["--older-than", "400d"])
        #expect(old.output.contains("nothing to erase"), "\(old)")
        #expect(instance.stop() == 0)
        let check =
            storage == .journal ? ["journal", "verify", instance.journal] : ["database", "verify"]
        let verified = try ipnd(instance, check + ["--config", instance.configurationFile])
        #expect(verified.status == 0, "\(verified)")
        #expect(verified.output.contains("1 verified, 0 failed"), "\(verified)")
    }

    /// Where records are stored as they are, the form is not offered.
    @Test func `an order is erased on its page`() throws {
        let (sealed, plain) = (try instance(), try Instance())
        for instance in [sealed, plain] {
            let request = try SignedWebhook(instance).request("R-1", members: Self.members)
            #expect(try send(request, to: instance) == 200)
        }
        let place = "/ui/orders/hmac/R-1"
        let before = try PageSessionTests.visitor(plain).get(place).body
        #expect(before.contains(Self.email) && !before.contains("Erase personal"))
        let visitor = try PageSessionTests.visitor(sealed)
        let page = try visitor.get(place).body
        #expect(page.contains(Self.email) && page.contains("Erase personal data"))
        #expect(try visitor.post("\(place)/erase", "last=1").status == 400)
        let answer = try visitor.post("\(place)/erase", "last=1&reason=asked")
        #expect(answer.status == 303, "\(answer)")
        #expect(answer.fields["location"]?.hasSuffix("notice=erased") == true)
        let after = try visitor.get(place).body
        #expect(!after.contains(Self.email), "\(after)")
        #expect(after.contains("The personal data of this record was erased"))
        #expect(after.contains("Personal data erased"))
    }

    /// A file of keys from before an erasure, put back before the journal is moved.
    @Test(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
    func `an older file of keys brings nothing into a database`() throws {
        let instance = try instance()
        let webhook = try SignedWebhook(instance)
        for number in 1...2 {
            let request = webhook.request("R-\(number)", members: Self.members)
            #expect(try send(request, to: instance) == 200)
        }
        let keys = "\(instance.journal)/keys"
        let older = try #require(FileManager.default.contents(atPath: keys))
        let configuration = ["--config", instance.configurationFile]
        let erased = try ipnd(
            instance,
            [
                "erase", "R-1", "--endpoint", "hmac", "--reason", "asked", "--yes", "--url",
                "http://127.0.0.1:\(instance.adminPort)",
            ] + configuration)
        #expect(erased.status == 0, "\(erased)")
        let events = try instance.admin().get("/events").body
        #expect(events.components(separatedBy: Self.email).count == 2)
        instance.stop()
        try older.write(to: URL(filePath: keys))
        let database = try SharedDatabase()
        try instance.connect(to: database.connection)
        let file = instance.configurationFile
        try String(contentsOfFile: file, encoding: .utf8)
            .replacing(
                #/journal: \{directory: [^}]*\}/#, with: SharedDatabase.section
            )
            .write(toFile: file, atomically: true, encoding: .utf8)
        for arguments in [["database", "init"], ["database", "import", instance.journal]] {
            let done = try ipnd(instance, arguments + configuration)
            #expect(done.status == 0, "\(done)")
        }
        try instance.start()
        #expect(try instance.admin().get("/events").body == events)
        #expect(instance.stop() == 0)
    }

    @Test func `a journal is sealed into a new one and back`() throws {
        let instance = try Instance()
        let webhook = try SignedWebhook(instance)
        for number in 1...3 {
            let request = webhook.request("R-\(number)", members: Self.members)
            #expect(try send(request, to: instance) == 200)
        }
        let body =
            #"{"amount":{"minor":100,"currency":"EUR"},"metadata":{"email":"\#(Self.email)"}}"#
        #expect(try instance.admin().post("/orders/hmac/R-9", body).status == 201)
        let store = try instance.admin().get("/events?after=3").body
        instance.stop()
        let plain = try ipnd(instance, ["journal", "cat", instance.journal]).output
        #expect(plain.contains(Self.email))

        let file = instance.configurationFile
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let key = try folder.write("master", Self.key + "\n")
        func configure(_ personal: String, journal: String) throws {
            try (personal + text.replacing("directory: journal", with: "directory: \(journal)"))
                .write(toFile: file, atomically: true, encoding: .utf8)
        }
        let (sealed, opened) = ("\(instance.folder)/sealed", "\(instance.folder)/opened")
        func rewrite(_ command: String, _ from: String, _ target: String) throws -> Finished {
            try ipnd(instance, ["journal", command, from, "--to", target, "--config", file])
        }
        let none = try rewrite("seal", instance.journal, sealed)
        #expect(none.status == 78 && none.errors.contains("no `personal.masterKeys`"), "\(none)")
        let personal = "personal: {masterKeys: [{name: first, key: {file: \(key)}}]}\n"
        try configure(personal, journal: "sealed")
        let made = try rewrite("seal", instance.journal, sealed)
        #expect(made.status == 0 && made.output.contains("4 sealed"), "\(made)")
        let again = try rewrite("seal", instance.journal, sealed)
        #expect(again.status == 72 && again.errors.contains("is not empty"), "\(again)")
        let hidden = try ipnd(instance, ["journal", "cat", sealed])
        #expect(hidden.lines.count == 4 && !hidden.output.contains(Self.email), "\(hidden)")
        let read = try ipnd(instance, ["journal", "cat", sealed, "--config", file])
        #expect(read.output == plain)

        // A server goes on with it, under the same identity.
        try FileManager.default.moveItem(
            atPath: "\(instance.folder)/journal.store", toPath: "\(instance.folder)/sealed.store")
        try instance.start()
        #expect(try send(webhook.request("R-1", members: Self.members), to: instance) == 200)
        #expect(try instance.admin().post("/orders/hmac/R-9", body).status == 200)
        #expect(try instance.admin().get("/events?after=3").body == store)
        #expect(instance.stop() == 0)
        let back = try rewrite("unseal", sealed, opened)
        #expect(back.status == 0 && back.output.contains("4 opened"), "\(back)")
        #expect(try ipnd(instance, ["journal", "cat", opened]).output == plain)
        let verified = try ipnd(instance, ["journal", "verify", opened, "--config", file])
        #expect(verified.output.contains("signatures   3 verified, 0 failed"), "\(verified)")
    }
}
