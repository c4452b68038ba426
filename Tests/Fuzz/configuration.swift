import Glibc

@testable import ServerConfiguration

// Any text gives either a configuration that can be described, or errors, each on one line with a
// position within the text. A second reading gives the same result.

private let folder = getenv("IPND_FUZZ_FOLDER").map { String(cString: $0) } ?? "/nonexistent"

private let environment = [
    "IPND_ADMIN_TOKEN": "0123456789abcdef", "SECRET": "s", "EMPTY": "",
    "KEY": String(repeating: "0f", count: 32), "WEBHOOKS": "whsec_MDEyMzQ1Njc4OWFiY2RlZg==",
]

private func check(_ finding: Finding, lines: Int) {
    precondition(!finding.problem.isEmpty && !finding.remedy.isEmpty)
    if let line = finding.line { precondition(line >= 1 && line <= lines) }
    if let column = finding.column { precondition(column >= 1) }
    let isOneLine = finding.description.unicodeScalars.allSatisfy {
        $0.value >= 0x20 && $0.value != 0x7F
    }
    precondition(isOneLine, "a finding holds a control character")
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfiguration(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard
        let text = String(
            validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    else { return 0 }
    let readings = [1, 2].map { _ in
        let reading = DecodingContext(file: "ipnd.yaml", folder: folder, environment: environment)
        let configuration = Configuration.read(text: text, reading)
        precondition((configuration == nil) == reading.hasMistakes)
        if let configuration { precondition(!configuration.describe().isEmpty) }
        return reading.findings
    }
    precondition(readings[0] == readings[1])
    // YAML's line ends: LF, CR, and three of Unicode.
    let breaks: Set<UInt32> = [0x0A, 0x0D, 0x85, 0x2028, 0x2029]
    // Plus one: libyaml counts the end of an unfinished line as the start of another.
    let lines = text.unicodeScalars.count { breaks.contains($0.value) } + 2
    // `include:` may read other files.
    for finding in readings[0] {
        check(finding, lines: finding.file == "ipnd.yaml" ? lines : Int.max)
    }
    return 0
}
