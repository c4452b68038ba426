import Testing

@testable import Configuration

@Suite struct ProcessorsTests {
    @Test(arguments: [
        ("Name:\tipnd\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n", 2),
        ("Cpus_allowed:\tffffffff,ffffffff\n", 64), ("Cpus_allowed:\t00000000,00000010\n", 1),
    ])
    func theBitsOfTheAffinityMaskAreCounted(_ status: String, _ count: Int) {
        #expect(Processors.usable(status: status) == count)
    }

    @Test(arguments: ["", "Cpus_allowed:\t0\n", "Name:\tipnd\n"])
    func whatTheKernelDoesNotSayIsNotMadeUp(_ status: String) {
        #expect(Processors.usable(status: status) == nil)
    }

    @Test func thisMachineHasAtLeastOne() { #expect(Processors.usable() >= 1) }
}
