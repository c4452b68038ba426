import Foundation
import TestSupport
import Testing

/// `ipnd send` to the real binary.
@Suite(.ownThreads) struct SendCommandTests {
    /// Endpoints that `ipnd init` creates.
    static let endpoints = [
        "antom", "citcon", "citcon-pay", "ecommpay", "opp", "adyen", "standard-webhooks",
        "standard-webhooks-v1a", "hmac", "stripe", "square", "razorpay", "checkout", "paypal",
        "airwallex", "paystack", "xendit", "gocardless", "paddle",
    ]

    /// The final state of each scenario: the order's status and the refunded part of 4200, or nil
    /// if there may be no order.
    static let finals: [String: (String, Int)?] = [
        "paid": ("paid", 0), "authorized-captured": ("paid", 0), "failed-then-paid": ("paid", 0),
        "refund": ("refunded", 4200), "partial-refunds": ("partially_refunded", 2100),
        "chargeback": ("charged_back", 0), "out-of-order": ("partially_refunded", 1050),
        "failed": ("failed", 0), "unpaid": ("pending", 0),
        "duplicate-storm": ("paid", 0), "bad-signature": nil, "wrong-key": nil,
    ]

    /// Scenarios that a provider has no notification for.
    static let impossible: Set<String> = [
        "citcon-pay authorized-captured", "citcon-pay chargeback", "ecommpay chargeback",
        "adyen authorized-captured", "adyen unpaid", "paystack failed",
        "paystack failed-then-paid", "paystack unpaid", "gocardless authorized-captured",
        "paddle authorized-captured",
    ]

    /// Scenarios that end otherwise: Xendit signs no body, and a refund of GoCardless has no sum.
    static let unlike: Set<String> = [
        "xendit bad-signature", "gocardless refund", "gocardless partial-refunds",
        "gocardless out-of-order",
    ]

    private func send(_ instance: Instance, _ arguments: [String]) throws -> Finished {
        try run(
            Binary.ipnd,
            [
                "send", "--config", instance.configurationFile, "--url",
                "http://127.0.0.1:\(instance.port)",
            ]
                + arguments)
    }

    /// What `check` takes to be live: a real secret, and a proxy in front.
    @Test(arguments: ["secret", "proxy"])
    func `a configuration that takes real notifications is refused without --to-live`(
        _ reason: String
    ) throws {
        let secret = "0123456789abcdef0123456789abcdef"
        let instance = try Instance(
            edit: { text in
                reason == "proxy"
                    ? text.replacing(
                        #"- address: "127.0.0.1:0""#,
                        with: #"- address: "127.0.0.1:0""#
                            + "\n    proxy: {trusted: [127.0.0.1/32], header: x-forwarded-for}")
                    : text.replacing("{file: secrets/hmac}", with: "{env: REAL_SECRET}")
            }, starts: false)
        instance.environment = ["REAL_SECRET": secret]
        try instance.start()
        func send(_ more: String...) throws -> Finished {
            try run(
                Binary.ipnd,
                [
                    "send", "--config", instance.configurationFile, "--endpoint", "hmac", "--url",
                    "http://127.0.0.1:\(instance.port)", "--reference", "LIVE-1",
                ] + more, environment: ["REAL_SECRET": secret])
        }
        let refused = try send()
        #expect(refused.status == 64, "\(refused)")
        #expect(refused.errors.contains("takes real notifications"), "\(refused.errors)")
        #expect(refused.errors.contains("--to-live"), "\(refused.errors)")
        #expect(try instance.admin().get("/orders/hmac/LIVE-1").status == 404)
        let sent = try send("--to-live")
        #expect(sent.output.contains("accepted"), "\(sent.output)\(sent.errors)")
        #expect(sent.errors.contains("has no mark for tests"), "\(sent.errors)")
        #expect(try instance.admin().get("/orders/hmac/LIVE-1").status == 200)
        let simulated = try run(
            Binary.ipnd,
            ["simulate", "--config", instance.configurationFile, "--count", "1"],
            environment: ["REAL_SECRET": secret])
        #expect(simulated.status == 64 && simulated.errors.contains("--to-live"))
    }

    /// The event is flagged. At an endpoint in live mode the order stays as it is.
    @Test(arguments: ["stripe", "adyen"], ["test", "live"])
    func `what is sent to a live endpoint is marked as a test`(
        _ endpoint: String, mode: String
    ) throws {
        let instance = try Instance(edit: { text in
            text.replacing(
                #"- address: "127.0.0.1:0""#,
                with: #"- address: "127.0.0.1:0""#
                    + "\n    proxy: {trusted: [127.0.0.1/32], header: x-forwarded-for}"
            ).replacing("mode: test", with: "mode: \(mode)")
        })
        let admin = try instance.admin()
        let path = "/orders/\(endpoint)/LIVE-1"
        #expect(try admin.post(path, #"{"amount":{"minor":4200,"currency":"MYR"}}"#).status == 201)
        let sent = try run(
            Binary.ipnd,
            [
                "send", "--config", instance.configurationFile, "--endpoint", endpoint, "--url",
                "http://127.0.0.1:\(instance.port)", "--reference", "LIVE-1", "--to-live",
            ])
        #expect(sent.status == 0 && sent.output.contains("accepted"), "\(sent)")
        #expect(sent.errors.contains("marked as tests"), "\(sent.errors)")
        let order = try admin.get(path).body
        let status = mode == "live" ? "pending" : "paid"
        #expect(order.contains(#""status":"\#(status)""#), "\(order)")
        #expect(order.contains("test_mode") == (mode == "test"), "\(order)")
        let recorded = try instance.records().last?["flags"] as? [String]
        #expect(recorded == ["test_mode"])
    }

    @Test(arguments: [
        ["--count", "9223372036854775807"], ["--count", "1000001"],
        ["--count", "4294967296", "--repeat", "4294967296"], ["--repeat", "9223372036854775807"],
    ])
    func `more than can be signed beforehand is refused`(_ arguments: [String]) throws {
        let instance = try Instance(starts: false)
        let sent = try run(
            Binary.ipnd,
            ["send", "--config", instance.configurationFile, "--endpoint", "hmac"] + arguments)
        #expect(sent.status == 64)
        #expect(sent.errors.contains("1000000"))
    }

    @Test(arguments: endpoints)
    func `every scenario ends as it expects`(_ system: String) throws {
        let instance = try Instance()
        for (scenario, final) in Self.finals
        where !Self.unlike.contains("\(system) \(scenario)") {
            let reference = "S-\(scenario)"
            let sent = try send(
                instance,
                [
                    "--endpoint", system, "--scenario", scenario, "--reference", reference,
                    "--json",
                    "--admin", "http://127.0.0.1:\(instance.adminPort)",
                ])
            if Self.impossible.contains("\(system) \(scenario)") {
                #expect(sent.status == 64, "\(scenario): \(sent.errors)")
                continue
            }
            #expect(sent.status == 0, "\(scenario): \(sent.output)\(sent.errors)")
            #expect(sent.output.contains(#""asExpected":true"#), "\(scenario): \(sent.output)")
            let order = try instance.order(system, reference)
            guard let (status, refunded) = final else {
                #expect(order == nil, "\(scenario) made an order")
                continue
            }
            #expect(order?["status"] as? String == status, "\(scenario)")
            #expect(
                (order?["refunded"] as? [String: Any])?["minor"] as? Int ?? 0 == refunded,
                "\(scenario)")
        }
        let storm = try instance.records().filter {
            ($0["order"] as? [String: Any])?["reference"] as? String == "S-duplicate-storm"
        }
        #expect(storm.count == 1)
    }

    @Test(arguments: StorageKind.all)
    func `an order that becomes something else is a failure`(on storage: StorageKind) throws {
        // The server accepts only live payments and receives a test payment.
        let instance = try Instance(
            on: storage,
            edit: { $0.replacingOccurrences(of: "mode: test", with: "mode: live") })
        let admin = "http://127.0.0.1:\(instance.adminPort)"
        let text = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        let file = "\(instance.folder)/sender.yaml"
        try text.replacingOccurrences(of: "mode: live", with: "mode: test")
            .write(toFile: file, atomically: true, encoding: .utf8)
        let arguments = [
            "send", "--config", file, "--url", "http://127.0.0.1:\(instance.port)", "--admin",
            admin, "--endpoint",
        ]
        let wrong = try run(Binary.ipnd, arguments + ["opp"])
        #expect(wrong.status == 1, "\(wrong)")
        #expect(wrong.output.contains("verdict   accepted"), "\(wrong)")
        #expect(wrong.output.contains(", not as expected\n"), "\(wrong)")
        let several = try run(Binary.ipnd, arguments + ["opp", "--count", "3"])
        #expect(several.status == 1)
        #expect(several.output.contains("orders    0 as expected, 3 not\n"), "\(several)")
        let right = try run(Binary.ipnd, arguments + ["antom", "--scenario", "refund"])
        #expect(right.status == 0, "\(right)")
        #expect(
            right.output.contains(
                " is refunded: captured 42.00 MYR, refunded 42.00 MYR, as expected\n"), "\(right)")
        // Earlier records are shown but not checked.
        for expected in [
            "is paid: captured 42.00 MYR, as expected", "is paid: captured 42.00 MYR\n",
        ] {
            let again = try run(
                Binary.ipnd, arguments + ["citcon", "--scenario", "paid", "--reference", "AGAIN"])
            #expect(again.status == 0 && again.output.contains(expected), "\(again)")
        }
        let refused = try run(
            Binary.ipnd,
            arguments + ["citcon", "--scenario", "bad-signature", "--reference", "AGAIN"])
        #expect(refused.status == 0, "\(refused)")
        #expect(refused.output.contains("AGAIN is paid: captured 42.00 MYR, as expected\n"))
        let nobody = try run(
            Binary.ipnd, arguments + ["antom", "--admin", "http://127.0.0.1:1"])
        #expect(nobody.status == 69 && nobody.errors.contains("could not be checked"), "\(nobody)")
    }

    @Test func `without more it sends one payment and says what came back`() throws {
        let instance = try Instance()
        let sent = try send(instance, ["--endpoint", "antom"])
        #expect(sent.status == 0)
        #expect(sent.output.contains("sent      Antom paid, 42.00 MYR"))
        #expect(sent.output.contains(#"answer    200 {"result""#))
        #expect(sent.output.contains("verdict   accepted"))
        #expect(try instance.references().count == 1)
    }

    @Test func `count and repeat multiply`() throws {
        let instance = try Instance()
        let sent = try send(
            instance,
            ["--endpoint", "opp", "--count", "5", "--repeat", "3", "--concurrency", "4", "--json"])
        #expect(sent.status == 0)
        #expect(sent.lines.count == 16)
        #expect(try instance.references().count == 5)
    }

    @Test func `a full schedule with an outage is recorded once`() throws {
        let instance = try Instance()
        let port = instance.port
        instance.stop()
        // The server is unreachable for the first attempts and comes back on the same port.
        let text = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        try text.replacingOccurrences(
            of: "\"127.0.0.1:0\"\nadmin", with: "\"127.0.0.1:\(port)\"\nadmin"
        )
        .write(toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        // 120 s and 600 s of the schedule at 400 times the speed: 0.3 and 1.5 s.
        let arguments = [
            "send", "--config", instance.configurationFile, "--endpoint", "antom", "--url",
            "http://127.0.0.1:\(port)", "--schedule", "--speed", "400", "--reference", "OUTAGE",
            "--json",
        ]
        let sender = try Child(Binary.ipnd, arguments, output: .pipe)
        let output = try #require(sender.output)
        // The first attempt has failed once its line is printed.
        let first = try #require(try output.read(upToCount: 1))
        try instance.start()
        let rest = output.readDataToEndOfFile()
        let lines = String(decoding: first + rest, as: UTF8.self).split(separator: "\n")
        #expect(sender.waitUntilExit() == 0, "\(lines)")
        #expect(lines.count >= 3)
        #expect(lines.first?.contains("connection_refused") == true)
        #expect(try instance.references() == ["OUTAGE"])
    }

    @Test func `whoever is not there is told by the status`() throws {
        let instance = try Instance(starts: false)
        let nobody = try run(
            Binary.ipnd,
            [
                "send", "--config", instance.configurationFile, "--endpoint", "antom", "--url",
                "http://127.0.0.1:9",
            ])
        #expect(nobody.status == 69)
        #expect(nobody.errors.contains("connection refused"))
    }

    @Test(
        arguments: [
            (["--endpoint", "nobody"], 64), (["--endpoint", "antom", "--scenario", "x"], 64),
            (["--endpoint", "antom", "--status", "x"], 64),
            (["--endpoint", "antom", "--count", "0"], 64),
            (["--endpoint", "antom", "--amount", "1.234"], 64),
            (["--endpoint", "antom", "--url", "x"], 64),
            ([], 64), (["--endpoint", "antom"], 78),
        ] as [([String], Int32)])
    func `mistakes have their status`(_ arguments: [String], _ status: Int32) throws {
        // With port 0 the default URL is unknown: exit status 78.
        let instance = try Instance(starts: false)
        let sent = try run(
            Binary.ipnd, ["send", "--config", instance.configurationFile] + arguments)
        #expect(sent.status == status, "\(sent.errors)")
        #expect(!sent.errors.isEmpty)
    }

    @Test func `an endpoint with live keys says what to do`() throws {
        let instance = try Instance(starts: false)
        try FileManager.default.removeItem(atPath: "\(instance.folder)/sandbox/antom.pem")
        let sent = try run(
            Binary.ipnd,
            [
                "send", "--config", instance.configurationFile, "--endpoint", "antom", "--to-live",
            ])
        #expect(sent.status == 78)
        #expect(sent.errors.contains("ipnd init"))
    }
}
