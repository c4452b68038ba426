import ServerConfiguration
import Testing

@testable import Commands

@Suite struct DescriptorBudgetTests {
    private static func configuration(loops: Int = 1, admin: Bool = true) -> Configuration {
        var configuration = Sandbox.configuration
        configuration.loops = loops
        if !admin { configuration.admin = nil }
        return configuration
    }

    @Test func `enough descriptors give every listener what it wants`() throws {
        let configuration = Self.configuration()
        let budget = try #require(DescriptorBudget(configuration, descriptorsMax: 1 << 20))
        #expect(budget.connectionsMax == configuration.limits.connectionsMax)
        #expect(budget.adminConnectionsMax == configuration.limits.connectionsMax)
    }

    @Test func `scarce descriptors leave an eighth to the admin listener`() throws {
        let budget = try #require(DescriptorBudget(Self.configuration(), descriptorsMax: 1024))
        #expect(budget.connectionsMax < 1024 - budget.adminConnectionsMax)
        let share = Double(budget.connectionsMax) / Double(budget.adminConnectionsMax)
        #expect((6.5...7.5).contains(share), "\(share)")
    }

    @Test func `without an admin listener all connections are for notifications`() throws {
        let budget = try #require(
            DescriptorBudget(Self.configuration(admin: false), descriptorsMax: 1024))
        #expect(budget.adminConnectionsMax == 0)
        let with = try #require(DescriptorBudget(Self.configuration(), descriptorsMax: 1024))
        #expect(budget.connectionsMax == with.connectionsMax + with.adminConnectionsMax)
    }

    @Test func `every loop takes descriptors of its own`() throws {
        let one = try #require(DescriptorBudget(Self.configuration(), descriptorsMax: 1024))
        let four = try #require(
            DescriptorBudget(Self.configuration(loops: 4), descriptorsMax: 1024))
        #expect(four.connectionsMax < one.connectionsMax)
    }

    @Test(arguments: [0, 64, 128])
    func `too few descriptors give no budget`(descriptorsMax: Int) {
        #expect(DescriptorBudget(Self.configuration(), descriptorsMax: descriptorsMax) == nil)
    }

    @Test func `the limits keep everything but the connections`() throws {
        let configuration = Self.configuration()
        let budget = try #require(DescriptorBudget(configuration, descriptorsMax: 1024))
        var limits = budget.limits(configuration.limits)
        #expect(limits.connectionsMax == budget.connectionsMax)
        limits.connectionsMax = configuration.limits.connectionsMax
        #expect(limits == configuration.limits)
        let admin = budget.adminLimits(configuration.limits)
        #expect(admin.connectionsMax == budget.adminConnectionsMax)
    }
}
