import Foundation
import TestSupport
import Testing

/// Runs the receivers of config/delivery.md verbatim and delivers a real event to each twice.
@Suite(.ownThreads) struct ReceivingExampleTests {
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
                database + "db.execute('CREATE TABLE seen (id text PRIMARY KEY)'); "
                    + "db.execute('CREATE TABLE shipments (reference text)')",
            ])
        try #require(made.status == 0, "\(made.errors)")
        try Self.expectTakenTwice([python, example], in: folder)
        let found = try run(
            python, ["-c", database + "print(db.execute('SELECT * FROM shipments').fetchall())"])
        #expect(found.output == "[('E-1',)]\n")
    }

    /// A substitute for the official library, which is on npm: it has the same interface and
    /// computes the signature with Node's `crypto`.
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

    /// A substitute for the official library, which is not a Debian package: it has the same
    /// interface and computes the signature with PHP's `hash_hmac`.
    @Test(.enabled(if: installedProgram("php") != nil, "php is not installed"))
    func thePHPExampleVerifiesAnEvent() throws {
        let folder = TemporaryFolder()
        let port = try FreePort.take()
        try folder.write("hook.php", Self.code("php"))
        try folder.write(
            "vendor/autoload.php",
            """
            <?php
            namespace StandardWebhooks {
                class Webhook {
                    private $key;
                    public function __construct($secret) {
                        $this->key = base64_decode(preg_replace('/^whsec_/', '', $secret));
                    }
                    public function verify($body, $headers) {
                        $id = $headers['webhook-id'];
                        $time = $headers['webhook-timestamp'];
                        if (abs(time() - (int) $time) > 300) throw new \\Exception('time');
                        $code = hash_hmac('sha256', "$id.$time.$body", $this->key, true);
                        foreach (explode(' ', $headers['webhook-signature']) as $part) {
                            if (hash_equals('v1,' . base64_encode($code), $part)) {
                                return json_decode($body, true);
                            }
                        }
                        throw new \\Exception('signature');
                    }
                }
            }
            namespace {
                function once($id, $order) {
                    $file = '\(folder.file("told-"))' . md5($id);
                    if (file_exists($file)) return;
                    touch($file);
                    file_put_contents(
                        '\(folder.file("shipments"))', $order['reference'] . "\\n", FILE_APPEND);
                }
            }

            """)
        let php = try #require(installedProgram("php"))
        try Self.expectTakenTwice(
            [php, "-S", "127.0.0.1:\(port)", "hook.php"], in: folder, port: port)
        #expect(try folder.text("shipments") == "E-1\n")
    }

    /// The same for Go with `crypto/hmac`; the example's port is fixed.
    @Test(.enabled(if: installedProgram("go") != nil, "go is not installed"))
    func theGoExampleVerifiesAnEvent() throws {
        let folder = TemporaryFolder()
        let port = try FreePort.take()
        let package = "github.com/standard-webhooks/standard-webhooks/libraries"
        let example = try Self.code("go").replacing("127.0.0.1:3000", with: "127.0.0.1:\(port)")
        try folder.write(
            "main.go",
            """
            package main
            import ("encoding/json"; "io"; "log"; "net/http"; "os"
                standardwebhooks "\(package)/go")
            var told = map[string]bool{}
            func once(id string, order struct{ Reference, Status string }) error {
                if told[id] { return nil }
                told[id] = true
                return os.WriteFile("shipments", []byte(order.Reference + "\\n"), 0o600)
            }
            func main() {
            \(example)
            }

            """)
        try folder.write(
            "go.mod",
            "module hook\ngo 1.19\nrequire \(package) v0.0.0\nreplace \(package) => ./library\n")
        try folder.write("library/go.mod", "module \(package)\ngo 1.19\n")
        try folder.write("library/go/webhook.go", Self.goLibrary)
        let go = try #require(installedProgram("go"))
        // Go's build cache, unless the tree belongs to another user.
        let kept = SourceTree.url(".build/go-cache").path
        let cache = canWrite(kept) ? kept : folder.file("go-cache")
        let built = try run(
            "/usr/bin/env",
            [
                "-C", folder.path, "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off",
                "GOCACHE=\(cache)", go, "build", "-o", "hook", ".",
            ])
        try #require(built.status == 0, "\(built.errors)")
        try Self.expectTakenTwice([folder.file("hook")], in: folder, port: port)
        #expect(try folder.text("shipments") == "E-1\n")
    }

    private func canWrite(_ folder: String) -> Bool {
        let files = FileManager.default
        try? files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return files.isWritableFile(atPath: folder)
    }

    private static let goLibrary = """
        package standardwebhooks
        import ("crypto/hmac"; "crypto/sha256"; "encoding/base64"; "errors"; "net/http"
            "strconv"; "strings"; "time")
        type Webhook struct{ key []byte }
        func NewWebhook(secret string) (*Webhook, error) {
            key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
            return &Webhook{key}, err
        }
        func (w *Webhook) Verify(body []byte, headers http.Header) error {
            id, stamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
            seconds, err := strconv.ParseInt(stamp, 10, 64)
            if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
                return errors.New("time")
            }
            code := hmac.New(sha256.New, w.key)
            code.Write([]byte(id + "." + stamp + "." + string(body)))
            want := "v1," + base64.StdEncoding.EncodeToString(code.Sum(nil))
            for _, part := range strings.Split(headers.Get("webhook-signature"), " ") {
                if hmac.Equal([]byte(part), []byte(want)) { return nil }
            }
            return errors.New("signature")
        }

        """

    /// Runs a receiver and sends it one event twice with its secret and once with another.
    private static func expectTakenTwice(
        _ command: [String], in folder: TemporaryFolder, port: UInt16? = nil
    ) throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "E-1").request())
        let port = try port ?? FreePort.take()
        let receiver = try BackgroundProgram(
            "/usr/bin/env",
            ["-C", folder.path, "SHOP_SECRET=\(secret)", "PORT=\(port)"] + command)
        defer { receiver.kill() }
        try #require(try receiver.connect(port: port) != nil, "\(receiver.output)")
        let file = try folder.write("secret", secret)
        let listen = [
            "listen", "--config", instance.configurationFile, "--url",
            "http://127.0.0.1:\(instance.adminPort)", "--forward",
            "http://127.0.0.1:\(port)/payments",
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

    /// Returns the example in this language.
    private static func code(_ language: String) throws -> String {
        let page = try SourceTree.text("config/delivery.md")
        let start = try #require(page.range(of: "\n```\(language)\n"))
        let end = try #require(page[start.upperBound...].range(of: "\n```"))
        return page[start.upperBound..<end.lowerBound] + "\n"
    }
}
