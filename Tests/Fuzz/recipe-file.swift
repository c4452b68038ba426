import Bytes
import Payments
import Providers

@testable import ServerConfiguration

// Any text gives either a recipe or findings, each on one line with a position within the text. A
// second reading gives the same. The provider of a recipe refuses or reads any body, and says the
// same of it twice. The body is the text behind the first NUL character, or the recipe itself.

private func check(_ finding: Finding, lines: Int) {
    precondition(!finding.problem.isEmpty && !finding.remedy.isEmpty)
    if let line = finding.line { precondition(line >= 1 && line <= lines) }
    let isOneLine = finding.description.unicodeScalars.allSatisfy {
        $0.value >= 0x20 && $0.value != 0x7F
    }
    precondition(isOneLine, "a finding holds a control character")
}

private func request(_ recipe: Recipe, body: [UInt8]) -> SignedRequest {
    var headers = [Header("x-event", "1")]
    switch recipe.proof {
    case .token(let scheme): headers.append(Header(scheme.header, scheme.prefix + "secret"))
    case .signature(let scheme):
        if let name = scheme.header { headers.append(Header(name, "t=1,v1=00")) }
    }
    return SignedRequest(
        path: Array("/ipn".utf8)[...], headers: headers, body: body,
        received: Timestamp(microseconds: 1_700_000_000_000_000))
}

/// The events of a body whose request verifies; nil where it is refused.
private func events(_ recipe: Recipe, _ settings: EndpointSettings, _ body: [UInt8]) -> [String]? {
    func read(_ provider: some Provider) -> [String]? {
        guard let verified = try? provider.verify(request(recipe, body: body)) else { return nil }
        return ["\(provider.interpret(verified.evidence))"]
    }
    guard let provider = try? recipe.descriptor.make(settings) else { return nil }
    return read(provider)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecipeFile(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let text = String(validating: first, as: UTF8.self) else {
        return 0
    }
    let files = [1, 2].map { _ in RecipeFile(text: text, name: "acme", isShipped: true) }
    precondition(files[0].findings == files[1].findings && files[0].recipe == files[1].recipe)
    let hasMistakes = files[0].findings.contains { $0.severity == .mistake }
    precondition((files[0].recipe == nil) == hasMistakes)
    // YAML's line ends: LF, CR, and three of Unicode.
    let breaks: Set<UInt32> = [0x0A, 0x0D, 0x85, 0x2028, 0x2029]
    // Plus one: libyaml counts the end of an unfinished line as the start of another.
    let lines = text.unicodeScalars.count { breaks.contains($0.value) } + 2
    for finding in files[0].findings { check(finding, lines: lines) }
    guard let recipe = files[0].recipe, var settings = try? recipe.descriptor.sampleSettings()
    else { return 0 }
    settings.secrets = [Array("secret".utf8)]
    let body = Array(parts.last ?? [])
    precondition(events(recipe, settings, body) == events(recipe, settings, body))
    return 0
}
