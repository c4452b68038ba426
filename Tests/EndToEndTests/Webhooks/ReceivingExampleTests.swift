import Foundation
import TestSupport
import Testing

/// The receivers of config/delivery.md, run as they stand there, told of a real event twice.
@Suite struct ReceivingExampleTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    /// The Python that has the reference library, which scripts/test installs.
    private static let python: String? = {
        let program = SourceTree.url(".build/python/bin/python3").path
        let tried = try? run(program, ["-c", "import standardwebhooks"])
        return tried?.status == 0 ? program : nil
    }()

    @Test(.enabled(if: python != nil, "scripts/test installs standardwebhooks, if PyPI is there"))
    func thePythonExampleTakesAnEventOnce() throws {
        let folder = TemporaryFolder()
        let python = try #require(Self.python)
        let example = try folder.write("hook.py", Self.code("python"))
        let database = "import sqlite3; db = sqlite3.connect('\(folder.file("shop.db"))'); "
        let made = try run(
            python,
            [
                "-c",
                database + "db.execute('CREATE TABLE told (id text PRIMARY KEY)'); "
                    + "db.execute('CREATE TABLE shipments (reference text)')",
            ])
        try #require(made.status == 0, "\(made.errors)")
        try Self.expectTakenTwice([python, example], in: folder)
        let found = try run(
            python, ["-c", database + "print(db.execute('SELECT * FROM shipments').fetchall())"])
        #expect(found.output == "[('E-1',)]\n")
    }

    /// The library is not the official one, which is on npm: this one has its interface, and
    /// computes the signature by Node's own `crypto`.
    @Test(.enabled(if: installedProgram("node") != nil, "node is not installed"))
    func theNodeExampleVerifiesAnEvent() throws {
        let folder = TemporaryFolder()
        let node = try #require(installedProgram("node"))
        let example = try folder.write("hook.mjs", Self.code("js"))
        try folder.write(
            "node_modules/standardwebhooks/index.mjs",
            """
            import { createHmac, timingSafeEqual } from "node:crypto";
            export class Webhook {
              constructor(secret) {
                this.key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
              }
              verify(body, headers) {
                const id = headers["webhook-id"], time = headers["webhook-timestamp"];
                if (Math.abs(Date.now() / 1000 - Number(time)) > 300) throw new Error("time");
                const code = createHmac("sha256", this.key);
                code.update(`${id}.${time}.${body}`);
                const expected = code.digest();
                for (const part of headers["webhook-signature"].split(" ")) {
                  const [version, text] = part.split(",");
                  const given = Buffer.from(text, "base64");
                  if (version !== "v1" || given.length !== 32) continue;
                  if (timingSafeEqual(given, expected)) return JSON.parse(body);
                }
                throw new Error("signature");
              }
            }

            """)
        try folder.write(
            "node_modules/standardwebhooks/package.json",
            #"{"name": "standardwebhooks", "type": "module", "main": "index.mjs"}"#)
        try folder.write(
            "shop.js",
            """
            import fs from "node:fs";
            const told = new Set();
            export async function once(id, order) {
              if (told.has(id)) return;
              told.add(id);
              fs.appendFileSync("\(folder.file("shipments"))", order.reference + "\\n");
            }

            """)
        try folder.write("package.json", #"{"type": "module"}"#)
        try Self.expectTakenTwice([node, example], in: folder)
        #expect(try folder.text("shipments") == "E-1\n")
    }

    /// Runs a receiver, and tells it of one event twice with its secret and once with another.
    private static func expectTakenTwice(_ command: [String], in folder: TemporaryFolder) throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "E-1").request())
        let port = try FreePort.take()
        let receiver = try BackgroundProgram(
            "/usr/bin/env",
            ["-C", folder.path, "SHOP_SECRET=\(secret)", "PORT=\(port)"] + command)
        defer { receiver.kill() }
        try #require(try receiver.connect(port: port) != nil, "\(receiver.output)")
        let file = try folder.write("secret", secret)
        let listen = [
            "listen", "--config", instance.configurationFile, "--url",
            "http://127.0.0.1:\(instance.adminPort)", "--forward", "http://127.0.0.1:\(port)/hook",
            "--after", "0", "--limit", "1",
        ]
        for _ in 0..<2 {
            let told = try run(Binary.ipnd, listen + ["--secret-file", file])
            #expect(
                told.lines.last?.contains("-> 204") == true, "\(told.output)\(receiver.output)")
        }
        let forged = try run(Binary.ipnd, listen)
        #expect(forged.lines.last?.contains("-> 401") == true, "\(forged.output)")
    }

    /// The example in this language.
    private static func code(_ language: String) throws -> String {
        let page = try SourceTree.text("config/delivery.md")
        let start = try #require(page.range(of: "\n```\(language)\n"))
        let end = try #require(page[start.upperBound...].range(of: "\n```"))
        return page[start.upperBound..<end.lowerBound] + "\n"
    }
}
