// swift-tools-version: 6.2
import PackageDescription

/// Set by `scripts/planted-defects` only, to build `ipnd-defective`, a program with defects that
/// the crash tests must catch.
let plantsDefects = Context.environment["IPND_PLANTED_DEFECTS"] == "1"

/// `scripts/fuzz` alone sets this: see `fuzzTargets`.
let fuzzes = Context.environment["IPND_FUZZ"] == "1"

/// `scripts/test --all` sets this, and so does CI: a warning is an error there, but not for whoever
/// builds with another toolchain, whose warnings we do not know.
let isStrict = Context.environment["IPND_STRICT"] == "1"

/// `scripts/test` sets this for its optimized build.
let isForTests = Context.environment["IPND_TEST_BUILD"] == "1"

/// Modules that compute little: for the tests, to optimize them would take longer than they run.
/// `Providers` and `ServerConfiguration` are not among them: the end-to-end tests start ipnd two
/// thousand times.
let quicklyCompiledModules: Set<String> = [
    "AdminAPI", "Alerts", "Commands", "Delivery", "Explain", "Inquiry", "Pages",
    "PostgreSQLStore", "Simulator", "SimulatorServer",
]

/// Modules in which every use of unsafe memory is marked with `unsafe` (SE-0458).
/// Sources/README.md, section "Memory safety", gives the reason for each of the others.
let memorySafeModules: Set<String> = [
    "Bytes", "HTTP", "HTTPServer", "JSON", "RawClient", "Reconciliation", "SimulatorServer",
    "Store",
]

/// Modules whose imports are internal unless a declaration of the module exposes them (SE-0409).
let internalImportModules: Set<String> = [
    "Bytes", "Cryptography", "HTTP", "HTTPServer", "JSON", "Platform", "PostgreSQL", "RawClient",
    "TLS", "WebClient",
]

/// Modules whose files import every module whose members they use (SE-0444). Not those that call
/// glibc: its headers belong to `Glibc` or to `CLinux`, whichever the compiler has loaded first.
let memberImportModules: Set<String> = ["Bytes", "HTTP", "JSON"]

/// The settings of one module.
func moduleSettings(_ name: String) -> [SwiftSetting] {
    var own = settings
    if memorySafeModules.contains(name) { own.append(.strictMemorySafety()) }
    if internalImportModules.contains(name) {
        own.append(.enableUpcomingFeature("InternalImportsByDefault"))
    }
    if memberImportModules.contains(name) {
        own.append(.enableUpcomingFeature("MemberImportVisibility"))
    }
    if isForTests, quicklyCompiledModules.contains(name) {
        own.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
    }
    return own
}

/// Settings of all targets: Swift 6 mode (the tools version implies it) and two features.
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])

/// A library target of ours. Imports point downward only (Sources/README.md, "Modules");
/// `TidyTests` checks the code and that page against this file.
func module(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    resources: [Resource] = [], plugins: [Target.PluginUsage]? = nil
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, resources: resources,
        swiftSettings: moduleSettings(name), plugins: plugins)
}

/// `scripts/test` runs the tests against an optimized build; the tests themselves are compiled
/// without optimization, which takes half as long, and in one step: nothing waits for their
/// interfaces, which would otherwise be checked a first time on their own.
let testSettings =
    settings + [
        .unsafeFlags(
            ["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))
    ]

/// The tests that mirror one target.
///
/// - Parameter packageAccess: Whether they see `package` declarations. The library's user does not.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    resources: [Resource] = [], packageAccess: Bool = true
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies + ["TestSupport"], exclude: exclude,
        resources: resources, packageAccess: packageAccess, swiftSettings: testSettings)
}

/// What one fuzz target needs. It is a static library with `LLVMFuzzerTestOneInput` in it, which
/// `scripts/fuzz` links with libFuzzer's own `main`.
let fuzzTargets: [(name: String, dependencies: [Target.Dependency])] =
    !fuzzes
    ? []
    : [
        ("http", ["HTTP"]),
        ("json", ["JSON"]),
        ("proxy", ["HTTPServer"]),
        ("form", ["Providers", "Payments", "Bytes"]),
        ("citcon", ["Providers", "Payments", "Cryptography"]),
        ("antom-signature", ["Providers", "Bytes"]),
        ("standard-webhooks", ["Providers", "Payments", "Cryptography", "Bytes"]),
        ("recipe", ["Providers", "Payments", "Cryptography", "Bytes"]),
        ("notification", ["ProviderFixtures", "Payments"]),
        ("work", ["ProviderFixtures", "Providers", "Payments"]),
        ("configuration", ["ServerConfiguration", "Yams"]),
        ("recipe-file", ["ServerConfiguration", "Providers", "Payments", "Bytes"]),
        (
            "frames",
            ["Journal", "Cryptography", .product(name: "SystemPackage", package: "swift-system")]
        ),
        ("record", ["Records", "Payments"]),
    ]

/// `IPND_TESTS=Payments,Truth swift test` builds and runs these test targets alone, and of the
/// program only what they need: a short turn while one module is being changed.
let chosenTests = Context.environment["IPND_TESTS"].map {
    $0.split(separator: ",").map(String.init)
}

/// `IPND_LIBRARY=1` reduces the package to its library products: what `scripts/test --all` compares
/// with the last release.
let isLibraryOnly = Context.environment["IPND_LIBRARY"] == "1"

/// The targets that the chosen tests or the library need, themselves included; all where nothing
/// was chosen.
func chosen(from targets: [Target]) -> [Target] {
    var waiting = isLibraryOnly ? libraries.values.flatMap(\.self) : []
    if let chosenTests {
        waiting += chosenTests.map { "\($0)Tests" }
        if chosenTests.contains("EndToEnd") { waiting += ["ipnd", "ipnd-bench"] }
    }
    if waiting.isEmpty { return targets }
    var needed: Set<String> = []
    while let name = waiting.popLast() {
        guard needed.insert(name).inserted,
            let target = targets.first(where: { $0.name == name })
        else { continue }
        for case .byNameItem(let name, _) in target.dependencies { waiting.append(name) }
        for case .plugin(let name, _) in target.plugins ?? [] { waiting.append(name) }
    }
    return targets.filter { needed.contains($0.name) }
}

/// What `public` declarations make of the program's own modules, by product.
let libraries = [
    // Verifies and interprets notifications, and keeps an order by its rules. Its first module
    // exports the others.
    "PaymentNotifications": ["PaymentNotifications", "Providers", "Payments"],
    // Finds out why a request does not verify.
    "Explain": ["Explain"],
]

let products: [Product] =
    (isLibraryOnly ? [] : [.executable(name: "ipnd", targets: ["ipnd"])])
    + libraries.sorted { $0.key < $1.key }.map { .library(name: $0, targets: $1) }

let package = Package(
    name: "ipnd",
    products: (chosenTests == nil ? products : [])
        + fuzzTargets.map {
            .library(name: "fuzz-\($0.name)", type: .static, targets: ["fuzz-\($0.name)"])
        },
    dependencies: [
        // Commands, options and their help pages: the standard parser of the Swift project.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // Log levels and handlers under the ecosystem's common interface.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // Typed `Errno`, so that every failed system call names itself.
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        // YAML with line numbers for every mistake in a configuration.
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        // SQLite for the index behind `GET /orders`: filters, paging and exports over millions of
        // orders, in a file that can be deleted at any time. It needs Debian's libsqlite3-dev.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // Templates of the pages: what a template names is escaped unless it says otherwise, and
        // whoever knows HTML can change a page. It has no dependencies of its own.
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        // The APIs in which Swift servers describe traces and metrics. What they describe is
        // exported by our own code: OTLP/JSON is small, and a collector's slowness must stay
        // bounded here.
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.1"),
    ],
    targets: chosen(from: [
        .target(name: "CLinux"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        // libpq, PostgreSQL's own client: several hosts and service files as every other program
        // of the merchant's reads them, SCRAM with channel binding, TLS, and pipeline mode.
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        // libcurl with OpenSSL: HTTP/1.1 and 2, keep-alive, egress proxies, the system's trust
        // store. How the merchant's own systems are called is not what ipnd exists for; what it
        // receives is, and needs every byte: that is HTTPServer and RawClient.
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),

        // Writes the recipes of Sources/Providers/Recipes into the program.
        .plugin(
            name: "EmbedRecipes", capability: .buildTool(), path: "scripts/embed-recipes-plugin",
            exclude: ["embed"]),

        module("JSON", ["Bytes"]),
        module("Bytes", []),
        module("HTTP", ["Bytes"]),
        module("Payments", ["Bytes", "Cryptography"]),
        module("Platform", ["CLinux", .product(name: "SystemPackage", package: "swift-system")]),
        module("Cryptography", ["COpenSSL", "Bytes"]),
        module("TLS", ["COpenSSL"]),
        module("PostgreSQL", ["CPostgreSQL", "Platform"]),
        module("WebClient", ["CCurl", "CLinux", "Platform", "Bytes"], exclude: ["WebClient.md"]),
        module(
            "Journal",
            [
                "Platform", "Cryptography", "Bytes",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Format.md"]),
        module(
            "Providers", ["Payments", "Cryptography", "JSON", "Bytes"],
            exclude: ["Inquiry/Inquiry.md", "Providers.md", "Recipes"],
            resources: [.embedInCode("PayPal/Trust")],
            plugins: [.plugin(name: "EmbedRecipes")]),
        // The library. It only exports the modules whose public types a user needs.
        module(
            "PaymentNotifications", ["Providers", "Payments"], exclude: ["PublicSymbols.md"]),
        module("Explain", ["Providers", "JSON", "Bytes", "Cryptography"]),
        module(
            "Alerts",
            [
                "WebClient", "Providers", "HTTP", "Payments", "Cryptography", "JSON", "Bytes",
                "Platform",
            ], exclude: ["Alerts.md"]),
        module(
            "Telemetry",
            [
                "WebClient", "JSON", "Bytes", "Platform",
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ], exclude: ["Telemetry.md"]),
        module("Reconciliation", ["Payments", "JSON"], exclude: ["Reconciliation.md"]),
        module(
            "Records", ["Sealing", "Payments", "JSON", "Bytes", "Cryptography"],
            exclude: ["Personal.md", "Schema.md"]),
        module("Sealing", ["Cryptography", "Bytes"]),
        module("Redaction", ["Records", "Payments", "JSON", "Bytes", "Cryptography"]),
        module(
            "Ledger", ["Payments", "Records", "Bytes", "Cryptography"], exclude: ["Ledger.md"]),
        module(
            "Store",
            ["Payments", "Records", "Ledger", "Sealing", "Platform", "Cryptography", "Bytes"],
            exclude: ["Store.md"]),
        module(
            "JournalStore",
            [
                "Store", "Ledger", "Records", "Sealing", "Payments", "Journal", "JSON", "Bytes",
                "Cryptography", "Platform",
            ], exclude: ["JournalStore.md", "ManyCores.md"]),
        module(
            "JournalIndex",
            [
                "JournalStore", "Store", "Records", "Payments", "Journal", "JSON", "Bytes",
                "Cryptography", "Platform",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        // The tables stand in the program itself, as plain SQL files.
        module(
            "PostgreSQLStore",
            [
                "Store", "Ledger", "Records", "Sealing", "Payments", "PostgreSQL", "Cryptography",
                "Bytes", "Platform",
            ],
            exclude: ["PostgreSQLStore.md"], resources: [.embedInCode("SQL")]),
        module(
            "HTTPServer",
            [
                "HTTP", "TLS", "Platform", "Bytes",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        module(
            "Receiver",
            [
                "HTTPServer", "HTTP", "Providers", "Store", "Redaction", "Sealing", "Records",
                "Payments", "JSON", "Bytes", "Telemetry", "Platform",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        module(
            "Inquiry",
            [
                "Store", "Redaction", "Records", "Providers", "Payments", "Telemetry", "WebClient",
                "JSON", "Bytes", "Platform",
            ],
            exclude: ["Inquiry.md"]),
        module(
            "AdminAPI",
            [
                "Delivery", "Inquiry", "Providers", "HTTPServer", "HTTP", "Store", "Ledger",
                "Redaction", "Records", "Payments", "JSON", "Bytes", "Cryptography", "Platform",
            ]),
        module(
            "Delivery",
            [
                "Store", "PostgreSQLStore", "PostgreSQL", "Records", "Sealing", "Providers",
                "Payments", "Telemetry", "WebClient", "JSON", "Bytes", "Platform",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            exclude: ["Delivery.md"]),
        module(
            "ServerConfiguration",
            [
                "Alerts", "JournalStore", "Redaction", "Sealing", "Providers", "Payments", "HTTP",
                "HTTPServer", "PostgreSQL", "Telemetry",
                "Delivery", "WebClient", "TLS", "Cryptography", "Platform", "Bytes", "Yams",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        // Templates, style and script stand in the program itself, as files that editors know.
        module(
            "Pages",
            [
                "AdminAPI", "Simulator", "Explain", "ServerConfiguration", "Delivery", "Journal",
                "Providers", "Store",
                "Payments", "HTTPServer", "HTTP", "JSON", "Bytes", "Cryptography",
                "Platform", .product(name: "Mustache", package: "swift-mustache"),
            ],
            exclude: ["Pages.md"], resources: [.embedInCode("Assets")]),
        module("RawClient", ["TLS", "Platform", "Bytes"]),
        // Output for people: terminal, tables, reports, the standard streams.
        module("Console", ["Payments", "JSON", "Bytes"]),
        module(
            "Simulator",
            [
                "ServerConfiguration", "Explain", "Providers", "Payments", "Records", "Sealing",
                "Journal", "RawClient", "Console", "JSON", "Bytes", "Cryptography", "Platform",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        module(
            "SimulatorServer",
            [
                "Simulator", "ServerConfiguration", "Providers", "Payments", "HTTPServer", "HTTP",
                "RawClient", "Console", "JSON", "Bytes", "Platform",
            ], exclude: ["SimulatorServer.md"]),
        module(
            "Commands",
            [
                "ServerConfiguration", "Alerts", "Delivery", "Inquiry", "Receiver", "AdminAPI",
                "Pages", "Telemetry",
                "RawClient", "Reconciliation", "WebClient", "Simulator", "SimulatorServer",
                "Explain",
                "HTTPServer", "HTTP", "Console", "Bytes", "TLS", "Platform", "PostgreSQL",
                "PostgreSQLStore", "Providers", "JournalStore", "JournalIndex", "Store", "Ledger",
                "Redaction", "Sealing", "Records", "Payments", "Journal", "JSON", "Cryptography",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .executableTarget(name: "ipnd", dependencies: ["Commands"], swiftSettings: settings),

        // What benchmarks, attacks and tests measure ipnd with. Not a product.
        .executableTarget(
            name: "ipnd-bench",
            dependencies: [
                "Commands", "Console", "ServerConfiguration", "HTTPServer", "HTTP", "TLS",
                "PostgreSQLStore", "Providers", "JournalStore", "Store", "Records", "Payments",
                "Bytes", "Platform",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Tests/Bench", swiftSettings: settings),

        // What every store promises, as checks that the tests of each one run.
        .target(
            name: "StoreConformance",
            dependencies: ["Store", "Ledger", "Records", "Payments", "Bytes"],
            path: "Tests/StoreConformance", swiftSettings: settings),

        // Opens the directories that `scripts/crash-replay` makes, as a restart would. Not a
        // product.
        .executableTarget(
            name: "crash-recovery",
            dependencies: ["JournalStore", "Records", "Sealing", "Journal", "Platform"],
            path: "Tests/CrashRecovery", swiftSettings: settings),

        // What must be done before the first test of any process.
        .target(name: "CTestSupport", path: "Tests/CTestSupport"),
        // What the tests of several targets share.
        .target(
            name: "TestSupport", dependencies: ["CTestSupport", "Platform"],
            path: "Tests/TestSupport", swiftSettings: settings),
        // The data with which the tests check each provider, a folder for each. Not a product.
        .target(
            name: "ProviderFixtures",
            dependencies: [
                "Providers", "Payments", "JSON", "Bytes", "Cryptography",
            ],
            path: "Tests/ProviderFixtures", swiftSettings: settings),
        // A PostgreSQL server for the tests that need one. Not a product.
        .target(
            name: "PostgreSQLFixture", dependencies: ["TestSupport"],
            path: "Tests/PostgreSQLFixture", swiftSettings: settings),

        // A database in process, with PostgreSQL's commit semantics and faults. Not a product.
        .target(
            name: "DatabaseSimulation",
            dependencies: ["PostgreSQL", "CPostgreSQL", "Platform", "TestSupport"],
            path: "Tests/DatabaseSimulation", swiftSettings: settings),

        // Defects between a store and its database, for tests and for `ipnd-defective`.
        .target(
            name: "DatabaseDefects", dependencies: ["PostgreSQL", "CPostgreSQL", "Platform"],
            path: "Tests/DatabaseDefects", swiftSettings: settings),

        tests("PostgreSQL", ["PostgreSQL", "PostgreSQLFixture", "Platform"]),
        tests(
            "PostgreSQLStore",
            [
                "PostgreSQLStore", "Store", "Records", "Sealing", "Payments", "PostgreSQL",
                "PostgreSQLFixture", "Platform", "Bytes", "StoreConformance", "DatabaseSimulation",
                "DatabaseDefects", "JournalStore", "Ledger",
            ]),
        tests(
            "Alerts",
            ["Alerts", "JSON", "Platform"]),
        tests("JSON", ["JSON"]),
        tests("Bytes", ["Bytes"]),
        tests("HTTP", ["HTTP"], exclude: ["Corpus"]),
        tests("Payments", ["Payments"]),
        tests("Platform", ["Platform"]),
        tests("Cryptography", ["Cryptography", "Bytes"]),
        tests("TLS", ["TLS"]),
        tests(
            "Journal",
            ["Journal", "Cryptography", .product(name: "SystemPackage", package: "swift-system")]),
        tests(
            "Providers",
            [
                "ProviderFixtures", "Providers", "Redaction", "Records", "JSON", "Bytes",
                "Cryptography", "Payments",
            ],
            resources: [.copy("Vectors")]),
        // As a user of the library sees it: public declarations only.
        tests(
            "PaymentNotifications", ["PaymentNotifications", "Explain"], packageAccess: false),
        tests("Explain", ["Explain", "JSON"]),
        tests(
            "Telemetry",
            [
                "Telemetry", "WebClient", "JSON", "Platform",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        tests("Reconciliation", ["Reconciliation", "Payments", "JSON"]),
        tests("Records", ["Records", "Sealing", "Payments", "JSON", "Bytes", "Cryptography"]),
        tests("Sealing", ["Sealing", "Bytes"]),
        tests("Redaction", ["Redaction", "Records", "Cryptography", "Bytes"]),
        tests("Ledger", ["Ledger", "Records", "Payments"]),
        tests(
            "JournalStore",
            [
                "JournalStore", "Store", "Ledger", "Records", "Sealing", "Payments", "Journal",
                "Bytes", "Platform", "StoreConformance",
            ]),
        tests(
            "JournalIndex",
            [
                "JournalIndex", "JournalStore", "Store", "Records", "Payments",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        // Plays the life of a payment at each provider and compares the order with the truth.
        tests(
            "Truth",
            [
                "ProviderFixtures", "Providers", "JournalStore", "PostgreSQLStore",
                "DatabaseSimulation", "Store", "Records", "Ledger", "Payments", "Platform",
            ]),
        tests(
            "Inquiry",
            [
                "Inquiry", "JournalStore", "Journal", "Store", "Records", "Providers", "Payments",
                "Telemetry", "WebClient", "Bytes", "Platform",
            ]),
        tests(
            "AdminAPI",
            [
                "AdminAPI", "JournalStore", "Store", "Records", "Payments", "JSON",
                "HTTP", "HTTPServer", "Inquiry", "Providers", "WebClient", "Bytes", "Platform",
                "Sealing",
            ]),
        tests(
            "Pages",
            [
                "Pages", "AdminAPI", "Store", "Payments", "HTTP", "HTTPServer", "Bytes", "Platform",
            ]),
        tests("HTTPServer", ["HTTPServer", "HTTP", "TLS", "Platform"]),
        tests(
            "Receiver",
            [
                "Receiver", "Store", "Providers", "Payments", "HTTP", "HTTPServer", "TLS", "Bytes",
                "JSON", "Telemetry", "Platform", "Sealing",
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ]),
        tests("RawClient", ["RawClient", "Platform", "TLS"]),
        tests("WebClient", ["WebClient", "Platform", "Bytes", "HTTPServer", "HTTP", "TLS"]),
        tests(
            "Delivery",
            [
                "Telemetry",
                "Delivery", "Store", "PostgreSQLStore", "PostgreSQL", "PostgreSQLFixture",
                "Records", "Providers", "Payments", "WebClient", "JSON", "Bytes", "Cryptography",
                "Platform",
            ]),
        tests(
            "Simulator",
            [
                "Simulator", "Explain", "ServerConfiguration", "ProviderFixtures", "Providers",
                "Payments", "RawClient", "HTTPServer", "Sealing", "JSON", "Bytes", "Cryptography",
                "Platform",
            ]),
        tests(
            "SimulatorServer",
            ["SimulatorServer", "Simulator", "Providers", "Payments", "Bytes"]),
        tests("Console", ["Console"]),
        tests(
            "Commands",
            [
                "Commands", "AdminAPI", "Alerts", "ServerConfiguration", "Console", "JSON",
                "JournalStore",
                "Providers", "Payments", "RawClient", "Reconciliation", "Records", "Simulator",
                "Platform", "Cryptography", "Bytes",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        tests(
            "ServerConfiguration",
            [
                "ServerConfiguration", "Providers", "Payments", "HTTP", "HTTPServer", "PostgreSQL",
                "Bytes", "WebClient", "Delivery", "Cryptography", "Platform", "Yams",
            ]),
        // Reads the tree itself: lengths, imports, banned words.
        tests("Tidy", []),
        // Runs the real binary. It is no dependency, because a build for tests builds every product
        // anyway, and these tests are then compiled while `Commands` is.
        tests(
            "EndToEnd",
            [
                "ServerConfiguration", "ProviderFixtures", "Providers", "Payments",
                "Bytes", "Cryptography", "PostgreSQLFixture", "TLS", "Yams",
            ], resources: [.copy("History")]),
    ])
        + (plantsDefects
            ? [
                .executableTarget(
                    name: "ipnd-defective",
                    dependencies: [
                        "Commands", "DatabaseDefects", "Journal", "Platform",
                        .product(name: "SystemPackage", package: "swift-system"),
                    ], path: "Tests/DefectiveProgram", swiftSettings: settings)
            ] : [])
        + fuzzTargets.map {
            .target(
                name: "fuzz-\($0.name)", dependencies: $0.dependencies, path: "Tests/Fuzz",
                sources: ["\($0.name).swift"], swiftSettings: settings)
        }
)
