import Glibc
import Providers
import TestSupport
import Testing

@testable import ServerConfiguration

/// Files with many errors: the work is proportional to the size, and the report is bounded.
@Suite struct ConfigurationBoundsTests {
    private static let head = """
        listeners: [{address: 127.0.0.1:1}]
        journal: {directory: journal}
        endpoints:
          - {name: a, path: /a, provider: citcon-upi, secrets: [{file: secrets/citcon}]}

        """

    private func failure(_ yaml: String) throws -> ConfigurationError {
        switch try TemporaryFolder.filled().load(yaml) {
        case .success: throw Accepted()
        case .failure(let error): return error
        }
    }

    private struct Accepted: Error {}

    /// With 20,000 of each, comparing every pair of keys took minutes.
    @Test(arguments: [
        ("unknown keys", "k#: 1\n", ""), ("wrong words", "w#: nope, ", "statuses"),
        ("wrong networks", "zz#, ", "allow"),
        ("endpoints", "  - {name: 'x y', path: b#}\n", ""),
    ])
    func `many mistakes are counted and the first are told`(
        _ name: String, _ item: String, _ place: String
    ) throws {
        let items = (0..<20_000).map { item.replacing("#", with: String($0)) }.joined()
        let yaml =
            switch place {
            case "statuses":
                Self.head
                    + "  - {name: b, path: /b, provider: hmac, fields: {statuses: {\(items)}}}\n"
            case "allow": Self.head + "  - {name: b, path: /b, allow: [\(items)]}\n"
            default: Self.head + items
            }
        let error = try failure(yaml)
        #expect(error.mistakes.count == DecodingContext.findingsMax)
        #expect(error.mistakeCount >= 20_000)
        #expect(error.description.contains("further mistakes are not shown"))
    }

    @Test func `many good keys are read in proportion too`() throws {
        let words = (0..<20_000).map { "w\($0): failed" }.joined(separator: ", ")
        let configuration = try TemporaryFolder.filled().load(
            Self.head
                + """
                  - {name: b, path: /b, provider: hmac, secrets: [{file: secrets/citcon}],
                     hmac: {header: s}, fields: {reference: /r, status: /s, statuses: {\(words)}}}
                """
        ).get()
        #expect(configuration.endpoints[1].settings[SettingRow.fields]?.statuses.count == 20_000)
    }

    @Test(arguments: [1, 32, 33, 100])
    func `keys that stand twice are told however many there are`(_ count: Int) throws {
        let twice = (0..<count).map { "k\($0): 1\nk\($0): 1\n" }.joined()
        let error = try failure(Self.head + twice)
        #expect(!error.mistakes.isEmpty)
        #expect(error.mistakes.allSatisfy { ($0.line ?? 0) > 4 })
        #expect(error.mistakes.contains { $0.problem.contains("twice") })
        let thrice = Self.head + String(repeating: "loops: 1\n", count: count + 2)
        #expect(try failure(thrice).mistakes.contains { $0.problem.contains("twice") })
    }

    @Test(arguments: [
        ("", 1), ("a: 1\nb: \u{7}\n", 2),
        ("a: 1\n\n" + String(repeating: "b: *c\n", count: 30), 27),
    ])
    func `what concerns the whole file names a line`(_ yaml: String, _ line: Int) throws {
        #expect(try failure(yaml).mistakes.map(\.line) == [line])
    }

    @Test func `a file that is not UTF-8 names the line`() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("ipnd.yaml", "")
        try [UInt8]([0x61, 0x0A, 0x62, 0x0A, 0xFF, 0x0A]).withUnsafeBytes { bytes in
            try #require(Self.overwrite(file, bytes))
        }
        let (_, reading) = Configuration.read(file: file, environment: [:])
        #expect(reading.findings.map(\.line) == [3])
    }

    private static func overwrite(_ file: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let stream = fopen(file, "w") else { return false }
        defer { fclose(stream) }
        return fwrite(bytes.baseAddress, 1, bytes.count, stream) == bytes.count
    }

    /// The kernel ends a path at a NUL: the check would look at one directory and the server use
    /// another.
    @Test(arguments: [
        ("journal: {directory: \"a\\0b\"}", "journal.directory"),
        ("journal: {directory: j}\nindex: {directory: \"/\\0/a\"}", "index.directory"),
        (
            "journal: {directory: j}\nadmin: {address: \"unix:/run/a\\0b\"}", "admin.address"
        ),
    ])
    func `a NUL is refused wherever it stands`(_ yaml: String, _ key: String) throws {
        let head = Self.head.replacing("journal: {directory: journal}\n", with: "")
        let error = try failure(head + yaml)
        #expect(error.mistakes.map(\.key) == [key])
        #expect(error.mistakes.allSatisfy { $0.problem.contains("NUL") })
    }
}
