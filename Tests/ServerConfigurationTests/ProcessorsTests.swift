import Testing

@testable import ServerConfiguration

@Suite struct ProcessorsTests {
    @Test(arguments: [
        ("Name:\tipnd\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n", 2),
        ("Cpus_allowed:\tffffffff,ffffffff\n", 64), ("Cpus_allowed:\t00000000,00000010\n", 1),
    ])
    func `the bits of the affinity mask are counted`(_ status: String, _ count: Int) {
        #expect(Processors.usable(status: status) == count)
    }

    @Test(arguments: ["", "Cpus_allowed:\t0\n", "Name:\tipnd\n"])
    func `what the kernel does not say is not made up`(_ status: String) {
        #expect(Processors.usable(status: status) == nil)
    }

    @Test func `this machine has at least one`() { #expect(Processors.usable() >= 1) }
}
