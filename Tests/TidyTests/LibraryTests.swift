import Testing

/// The modules that the library products link. They need no operating system but for OpenSSL, and
/// so build wherever Swift does.
@Suite struct LibraryTests {
    static let modules = [
        "PaymentNotifications", "Explain", "Providers", "Payments", "JSON", "Cryptography", "Bytes",
    ]

    /// Modules of the toolchain on every platform.
    private static let portable: Set<String> = ["Synchronization"]

    /// Files that call the C library, with the reason. Each has a branch for Darwin.
    private static let platformFiles = [
        "Sources/Cryptography/ContextPool.swift": "the number of this thread, to spread contexts",
        "Sources/Providers/Ecommpay/DecimalDigits.swift":
            "`vsnprintf`, which rounds a double to significant digits correctly",
    ]

    private static let darwinBranch =
        "#if canImport(Darwin)\nimport Darwin\n#else\nimport Glibc\n#endif"

    @Test func `the library imports only what is listed`() {
        for source in TidyTests.sources where Self.modules.contains(source.module) {
            for problem in Self.problems(source) { Issue.record("\(source.path) \(problem)") }
        }
        for (file, _) in Self.platformFiles {
            #expect(TidyTests.sources.contains { $0.path == file }, "\(file) is gone")
        }
    }

    @Test func `the library's modules depend on one another and on OpenSSL`() {
        for module in Self.modules {
            let declared = Manifest.package.imports[module]
            #expect(
                declared?.subtracting(Self.modules + ["COpenSSL"]) == [], "\(module): \(declared)")
        }
    }

    @Test(arguments: [
        ("import Foundation", "imports Foundation"), ("import Platform", "imports Platform"),
        ("import Glibc", "imports Glibc"), ("import COpenSSL", "imports COpenSSL"),
        ("import Payments", nil), ("@_exported import Payments", nil),
    ])
    func `the check finds what it must`(_ line: String, _ problem: String?) {
        let source = TidyTests.Source(path: "Sources/Providers/X.swift", text: line)
        #expect(Self.problems(source) == [problem].compactMap(\.self))
    }

    private static func problems(_ source: TidyTests.Source) -> [String] {
        let mayCallPlatform = platformFiles[source.path] != nil
        var problems = source.imports.filter { name in
            switch name {
            case "Glibc", "Darwin": !mayCallPlatform
            case "COpenSSL": source.module != "Cryptography"
            default: !modules.contains(name) && !portable.contains(name)
            }
        }.map { "imports \($0)" }
        if source.imports.contains("Glibc"), mayCallPlatform,
            !source.text.contains(darwinBranch)
        {
            problems.append("has no branch for Darwin")
        }
        return problems
    }
}
