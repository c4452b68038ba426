/// The faults by message, and their later consequences.
struct AccidentPlan {
    /// The fate of a message.
    enum Course {
        case normal
        /// The message does not arrive.
        case cut
        case loseAnswer
        case silence
        case late
        case cutAfter
        case killBefore
        case killAfter
    }

    private enum Action {
        case resume
        case retireOld
        case failOver
        case accept
        case end(Int)
        case deliver(Int)
    }

    private var plan: [Int: [SimulatedFault]]
    private var timed: [(time: UInt64, action: Action)] = []
    private var counted: [(message: Int, action: Action)] = []
    /// The fault to inject after the server has processed the message.
    private var behind: SimulatedFault?
    private var lingering: Set<Int> = []
    private(set) var happenedCount = 0

    /// Number of messages before the consequence of a fault.
    private static let messagesLater = 3

    init(_ plan: [Int: [SimulatedFault]]) { self.plan = plan }

    var nextTime: UInt64? { timed.map(\.time).min() }

    func isLingering(_ session: Int) -> Bool { lingering.contains(session) }

    /// Removes all further faults.
    mutating func clear() {
        plan = [:]
        timed = []
        counted = []
    }

    /// Returns the fate of the message of this number; injects faults of the cluster at once.
    mutating func meet(
        _ message: Int, client: Int, session: Int?, now: UInt64, on cluster: inout SimulatedCluster
    ) -> Course {
        for (due, action) in counted where due <= message { perform(action, on: &cluster) }
        counted.removeAll { $0.message <= message }
        var course = Course.normal
        for fault in plan[message] ?? [] {
            happenedCount += 1
            let own = meet(fault, message, client, session, now, on: &cluster)
            if case .normal = course { course = own }
        }
        return course
    }

    private mutating func meet(
        _ fault: SimulatedFault, _ message: Int, _ client: Int, _ session: Int?, _ now: UInt64,
        on cluster: inout SimulatedCluster
    ) -> Course {
        let second: UInt64 = 1_000_000_000
        func after(_ seconds: UInt64) -> UInt64 { now + seconds * second }
        switch fault {
        case .loseRequest, .terminate:
            if let session { cluster.end(session) }
            return .cut
        case .loseAnswer: return .loseAnswer
        case .silence: return .silence
        case .cutAfter: return .cutAfter
        case .killBefore: return .killBefore
        case .killAfter: return .killAfter
        case .late:
            guard let session else { return .cut }
            counted.append((message + Self.messagesLater, .deliver(session)))
            timed.append((after(30), .deliver(session)))
            return .late
        case .linger:
            guard let session else { return .cut }
            lingering.insert(session)
            timed.append((after(10), .end(session)))
            return .cut
        case .refuse:
            cluster.isRefusing = true
            timed.append((after(2), .accept))
            if let session { cluster.end(session) }
            return .cut
        case .restartBefore: cluster.restart()
        case .failOverBefore: cluster.failOver(oldStaysUp: false)
        case .restartAfter, .failOverAfter: behind = fault
        case .isolate, .isolateTogether:
            cluster.failOver(oldStaysUp: true)
            if fault == .isolateTogether { cluster.goesToOld.insert(client) }
            timed.append((after(20), .retireOld))
        case .pauseShort, .pauseLong:
            cluster.setReplicating(false)
            timed.append((after(fault == .pauseShort ? 2 : 30), .resume))
        case .cancelWaits, .terminateWaits, .cancelWaitsThenFailOver, .terminateWaitsThenFailOver:
            let ends = fault == .terminateWaits || fault == .terminateWaitsThenFailOver
            cluster.setReplicating(false)
            cluster.endWaits(ends ? .adminShutdown : .warning)
            timed.append((after(2), .resume))
            if fault != .cancelWaits && fault != .terminateWaits {
                counted.append((message + Self.messagesLater, .failOver))
            }
        case .restartThenFailOver:
            cluster.setReplicating(false)
            behind = fault
            timed.append((after(2), .resume))
            counted.append((message + Self.messagesLater, .failOver))
        }
        return .normal
    }

    /// Injects the fault that follows the processing of a message.
    mutating func finish(on cluster: inout SimulatedCluster) {
        defer { behind = nil }
        switch behind {
        case .restartAfter, .restartThenFailOver: cluster.restart()
        case .failOverAfter: cluster.failOver(oldStaysUp: false)
        default: break
        }
    }

    mutating func perform(at now: UInt64, on cluster: inout SimulatedCluster) {
        for (time, action) in timed where time <= now { perform(action, on: &cluster) }
        timed.removeAll { $0.time <= now }
    }

    private func perform(_ action: Action, on cluster: inout SimulatedCluster) {
        switch action {
        case .resume:
            cluster.endWaits(nil)
            cluster.setReplicating(true)
        case .retireOld: cluster.retireOld()
        case .failOver: cluster.failOver(oldStaysUp: false)
        case .accept: cluster.isRefusing = false
        case .end(let session): cluster.end(session)
        case .deliver(let session): cluster.deliver(session)
        }
    }
}
