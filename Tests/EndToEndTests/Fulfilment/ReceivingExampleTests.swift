import Bytes
import Cryptography
import Foundation
import TestSupport
import Testing

/// Runs the receivers of config/delivery.md verbatim, with `decide` of config/fulfilment.md: a real
/// event twice, and the hostile feed.
@Suite(.ownThreads) struct ReceivingExampleTests {
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    /// The Python that has the reference library, which scripts/test installs.
    private static let python: String? = {
        let program = SourceTree.url(".build/python/bin/python3").path
        let tried = try? run(program, ["-c", "import standardwebhooks"])
        return tried?.status == 0 ? program : nil
    }()

    @Test(.enabled(if: python != nil, "scripts/test installs standardwebhooks, if PyPI is there"))
    func `the Python example takes an event once`() throws {
        let folder = TemporaryFolder()
        let python = try #require(Self.python)
        let example = try folder.write("hook.py", Self.code("python"))
        try folder.write("decide.py", Self.rules("python"))
        try folder.write("tables.sql", Self.tables())
        try folder.write(
            "make.py",
            """
            import json, sqlite3
            db = sqlite3.connect("shop.db")
            db.executescript(open("tables.sql").read())
            db.execute("CREATE TABLE orders (endpoint text, reference text, total text)")
            totals = json.load(open("totals.json"))
            db.executemany("INSERT INTO orders VALUES (?, ?, ?)",
                           [(*key.split("/", 1), total) for key, total in totals.items()])
            db.commit()

            """)
        try Self.writeTotals(to: folder)
        let made = try run("/usr/bin/env", ["-C", folder.path, python, "make.py"])
        try #require(made.status == 0, "\(made.errors)")
        try Self.play([python, example], in: folder)
        let found = try run(
            python,
            [
                "-c",
                "import json, sqlite3; db = sqlite3.connect('\(folder.file("shop.db"))'); "
                    + "print(json.dumps({f'{e}/{n}': f'{a} {w}' for e, n, a, w in "
                    + "db.execute('SELECT endpoint, name, action, why FROM decisions')}))",
            ])
        try Self.expectDecided(found.output)
    }

    /// A substitute for the official library, which is on npm: it has the same interface and
    /// computes the signature with Node's `crypto`.
    @Test(.enabled(if: installedProgram("node") != nil, "node is not installed"))
    func `the Node example verifies an event`() throws {
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
            const seen = new Set(), decisions = {};
            const totals = () => JSON.parse(fs.readFileSync("totals.json"));
            export const total = async (e, r) => totals()[`${e}/${r}`];
            export async function once(id, event, effect) {
              if (seen.has(id)) return;
              seen.add(id);
              if (!effect) return;
              decisions[`${event.endpoint}/${effect.name}`] = `${effect.action} ${effect.why}`;
              fs.writeFileSync("decisions", JSON.stringify(decisions));
            }

            """)
        try folder.write("package.json", #"{"type": "module"}"#)
        try folder.write("decide.js", Self.rules("js"))
        try Self.play([node, example], in: folder)
        try Self.expectDecided(folder.text("decisions"))
    }

    /// A substitute for the official library, which is not a Debian package: it has the same
    /// interface and computes the signature with PHP's `hash_hmac`.
    @Test(.enabled(if: installedProgram("php") != nil, "php is not installed"))
    func `the PHP example verifies an event`() throws {
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
                function total($e, $r) {
                    return json_decode(file_get_contents('totals.json'), true)["$e/$r"] ?? null;
                }
                function once($id, $event, $effect) {
                    if (file_exists(md5($id))) return;
                    touch(md5($id));
                    if (!$effect) return;
                    [$action, $name, $why] = $effect;
                    $old = is_file('decisions') ? file_get_contents('decisions') : '{}';
                    $all = json_decode($old, true);
                    $all["{$event['endpoint']}/$name"] = "$action $why";
                    file_put_contents('decisions', json_encode($all));
                }
            }

            """)
        let php = try #require(installedProgram("php"))
        try folder.write("decide.php", Self.rules("php"))
        try Self.play([php, "-S", "127.0.0.1:\(port)", "hook.php"], in: folder, port: port)
        try Self.expectDecided(folder.text("decisions"))
    }

    /// The same for Go with `crypto/hmac`; the example's port is fixed.
    @Test(.enabled(if: installedProgram("go") != nil, "go is not installed"))
    func `the go example verifies an event`() throws {
        let folder = TemporaryFolder()
        let port = try FreePort.take()
        let package = "github.com/standard-webhooks/standard-webhooks/libraries"
        let example = try Self.code("go").replacing("127.0.0.1:3000", with: "127.0.0.1:\(port)")
        let rules = try Self.rules("go")
        try folder.write(
            "main.go",
            """
            package main
            import ("encoding/json"; "fmt"; "io"; "log"; "net/http"; "os"; "strings"
                standardwebhooks "\(package)/go")
            \(rules)
            var seen, decisions = map[string]bool{}, map[string]string{}
            func total(endpoint, reference string) string {
                totals := map[string]string{}
                text, _ := os.ReadFile("totals.json")
                _ = json.Unmarshal(text, &totals)
                return totals[endpoint + "/" + reference]
            }
            func once(id string, event Event, action, name, why string) error {
                if seen[id] { return nil }
                seen[id] = true
                if action == "" { return nil }
                decisions[event.Endpoint + "/" + name] = action + " " + why
                text, _ := json.Marshal(decisions)
                return os.WriteFile("decisions", text, 0o600)
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
        try Self.play([folder.file("hook")], in: folder, port: port)
        try Self.expectDecided(folder.text("decisions"))
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

    private static func writeTotals(to folder: TemporaryFolder) throws {
        let totals = HostileFeed.totals.merging(["antom/E-1": "4200 MYR"]) { $1 }
        try folder.write(
            "totals.json", String(decoding: JSONEncoder().encode(totals), as: UTF8.self))
    }

    /// Runs a receiver and sends it one real event twice with its secret and once with another, the
    /// hostile feed with each message twice, and the message of `ipnd deliveries test`.
    static func play(
        _ command: [String], in folder: TemporaryFolder, port: UInt16? = nil
    ) throws {
        try writeTotals(to: folder)
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
            let printed = try run(Binary.ipnd, listen + ["--secret-file", file])
            #expect(
                printed.lines.last?.contains("-> 204") == true,
                "\(printed.output)\(receiver.output)")
        }
        let forged = try run(Binary.ipnd, listen)
        #expect(forged.lines.last?.contains("-> 401") == true, "\(forged.output)")
        let test = #""schema":1,"endpoint":"antom","sequence":0,"flags":[]"#
        for (number, event) in (HostileFeed.events + ["{\(test)}"]).enumerated() {
            for _ in 0..<2 {
                let message = try message(
                    "\(HostileFeed.store)-\(number + 1)",
                    #"{"type":"order.x","timestamp":"2026-11-21T07:00:00Z","data":\#(event)}"#)
                let status = try Client(port: port).exchange(message)
                #expect(status == 204, "\(event)\n\(receiver.output)")
            }
        }
    }

    /// A signed request, by the specification of Standard Webhooks.
    static func message(_ id: String, _ body: String) throws -> String {
        let seconds = Int(Date().timeIntervalSince1970)
        let key = try #require(Base64.decode(strict: Array(secret.utf8)[6...]))
        let code = HMAC.code(.sha256, key: key, message: Array("\(id).\(seconds).\(body)".utf8))
        let lines = [
            "POST /payments HTTP/1.1", "Host: localhost", "Content-Type: application/json",
            "webhook-id: \(id)", "webhook-timestamp: \(seconds)",
            "webhook-signature: v1,\(Base64.encode(code))", "Content-Length: \(body.utf8.count)",
            "Connection: close", "", body,
        ]
        return lines.joined(separator: "\r\n")
    }

    static func expectDecided(_ text: String) throws {
        let found = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        let expected = HostileFeed.decisions.merging(["antom/E-1": "ship 4200 MYR"]) { $1 }
        #expect(found == expected, "\(text)")
    }

    private static func code(_ language: String) throws -> String {
        try ExampleLanguage.code(language, of: "config/delivery.md", after: "## Receiving it")
    }

    private static func rules(_ language: String) throws -> String {
        try ExampleLanguage.code(language, of: "config/fulfilment.md", after: "## The function")
    }

    /// The tables of the page.
    private static func tables() throws -> String {
        try ExampleLanguage.code("sql", of: "config/delivery.md", after: "## Exactly once")
            .components(separatedBy: "\nBEGIN;")[0]
    }
}

extension Client {
    /// Sends a request whose answer may end with the connection; returns the answer's status.
    func exchange(_ request: String) throws -> Int? {
        try send(request)
        let (head, _) = try receiveHead()
        return Int(head.split(separator: " ").dropFirst().first ?? "")
    }
}
