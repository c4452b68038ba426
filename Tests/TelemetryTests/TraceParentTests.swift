import Testing

@testable import Telemetry

/// The header `traceparent`: W3C Trace Context, §3.2.
@Suite struct TraceParentTests {
    private static let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `a valid header is read and written again`() throws {
        let parent = try #require(TraceParent(Self.valid))
        #expect(parent.trace == (0x4bf9_2f35_77b3_4da6, 0xa3ce_929d_0e0e_4736))
        #expect(parent.span == 0x00f0_67aa_0ba9_02b7 && parent.isSampled)
        #expect(parent.text == Self.valid)
        #expect(TraceParent(Self.valid.dropLast() + "0")?.isSampled == false)
    }

    /// §3.2.2.3: flags that are not known are not passed on. §3.2.4: a newer version may have more
    /// fields.
    @Test(arguments: [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff", true),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02", false),
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes", true),
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
    ])
    func `other versions and flags are read`(_ text: String, _ isSampled: Bool) throws {
        let parent = try #require(TraceParent(text))
        #expect(parent.isSampled == isSampled)
        #expect(parent.text == Self.valid.dropLast() + (isSampled ? "1" : "0"))
    }

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0١",
    ])
    func `a broken header is no parent`(_ text: String) {
        #expect(TraceParent(text) == nil)
    }
}
