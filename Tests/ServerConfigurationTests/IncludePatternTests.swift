import TestSupport
import Testing

@testable import ServerConfiguration

/// The patterns of `include:`.
@Suite struct IncludePatternTests {
    private func pattern(_ text: String, folder: String = "/etc/ipnd") -> IncludePattern {
        IncludePattern(text, folder: folder, beside: "etc/")
    }

    @Test(arguments: [
        ("*.yaml", "a.yaml", true), ("*.yaml", ".yaml", true), ("*.yaml", "a.yml", false),
        ("*.yaml", "a.yaml~", false), ("*", "anything", true), ("shop-*.yaml", "shop-a.yaml", true),
        ("shop-*.yaml", "shop.yaml", false), ("a*a", "a", false), ("a*a", "aa", true),
        ("*a*b*", "xaybz", true), ("*a*b*", "xbya", false), ("*ab*ab", "abab", true),
        ("*ab*ab", "ab", false), ("**.yaml", "a.yaml", true), ("é*", "e\u{301}x", false),
    ])
    func `a star stands for any characters`(_ name: String, _ file: String, _ isMatch: Bool) {
        #expect(pattern("endpoints.d/\(name)").matches(file) == isMatch)
    }

    @Test func `paths start at the configuration's folder`() {
        let relative = pattern("endpoints.d/*.yaml")
        #expect(relative.path(of: "a.yaml") == "/etc/ipnd/endpoints.d/a.yaml")
        #expect(relative.shownFolder == "etc/endpoints.d/")
        let absolute = pattern("/srv/*.yaml")
        #expect(absolute.path(of: "a.yaml") == "/srv/a.yaml")
        #expect(absolute.shownFolder == "/srv/")
        #expect(pattern("/*.yaml").path(of: "a.yaml") == "/a.yaml")
        #expect(pattern("x/*.yaml", folder: "/").path(of: "a.yaml") == "/x/a.yaml")
        #expect(pattern("shop.yaml").path(of: "shop.yaml") == "/etc/ipnd/shop.yaml")
    }

    @Test(arguments: [
        ("endpoints.d/", "names a folder"), ("..", "names a folder"), ("a/.", "names a folder"),
        ("*/a.yaml", "name of a folder"), ("**/*.yaml", "name of a folder"),
    ])
    func `only the last component has stars`(_ text: String, _ problem: String) {
        #expect(IncludePattern.problem(of: text)?.problem.contains(problem) == true)
        #expect(IncludePattern.problem(of: "endpoints.d/*.yaml") == nil)
    }

    @Test(arguments: [
        ("*.yaml", "antom.yaml"), ("*", "antom.yaml"), ("shop-*.yml", "shop-antom.yml"),
        ("*-*.yaml", "antom-.yaml"), ("shop.yaml", nil),
    ])
    func `a new file's name matches the pattern`(_ name: String, _ file: String?) {
        let pattern = pattern("endpoints.d/\(name)")
        #expect(pattern.name(forEndpoint: "antom") == file)
        if let file { #expect(pattern.matches(file)) }
    }

    @Test func `hidden files and backups are left out`() throws {
        let folder = TemporaryFolder()
        for name in ["b.yaml", "a.yaml", ".a.yaml", "a.yaml~", "#a.yaml#", "a.yaml.dpkg-old"] {
            try folder.write("d/\(name)", "")
        }
        let names = try pattern("d/*", folder: folder.path).names()
        #expect(Set(names) == ["a.yaml", "b.yaml"])
        #expect(try pattern("none/*", folder: folder.path).names().isEmpty)
    }
}
