import CLinux
import Glibc
import SystemPackage

/// A descriptor on a loop, and the one task that waits for it.
///
/// Edge-triggered: the kernel reports each change once, so a waiter first tries the system call and
/// suspends only after `EAGAIN`. Used on its loop's thread only; not `Sendable`.
///
/// A channel of `EventLoop.open` is watched from its first wait or call of `watch`. A connection
/// that closes without having to wait, as most connections with one request do, never enters the
/// epoll.
package final class Channel {
    /// Why a wait ended.
    package enum Wake: Sendable {
        /// The kernel reported the direction, an error or a hang-up: try the call again.
        case ready
        /// The deadline passed first.
        case deadline
        /// `interrupt` was called.
        case interrupted
    }

    private enum Direction { case read, write, none }

    package let descriptor: Int32
    package let loop: EventLoop
    var token: UInt64 = 0
    let alarm = Alarm()

    private var waiter: UnsafeContinuation<Wake, Never>?
    private var waitsFor = Direction.read
    private var readEdge = false
    private var writeEdge = false
    private var isClosed = false
    private var interruptPending = false
    /// Whether the kernel reports events of this descriptor.
    package internal(set) var isWatched = false

    /// Whether the peer has closed its side or the connection is broken; bytes may still be unread.
    package private(set) var peerClosed = false

    /// Called once when the peer closes its side, even while no task waits: for a task that holds a
    /// request and does not read meanwhile.
    package var onPeerClosed: (() -> Void)?

    init(descriptor: Int32, loop: EventLoop) {
        self.descriptor = descriptor
        self.loop = loop
        alarm.fire = { [unowned self] in self.end(.deadline) }
    }

    deinit { assert(isClosed, "a channel was dropped without close()") }

    /// Makes the kernel report events, including the peer's end, starting with the current state.
    /// If it cannot, for lack of memory or of watches, the connection is broken.
    package func watch() {
        guard !isWatched, !isClosed else { return }
        do throws(Errno) { try loop.watch(self) } catch {
            shutdown()
            readEdge = true
            writeEdge = true
            notePeerClosed()
        }
    }

    /// Call before a read: events reported after this count as new.
    package func beginRead() { readEdge = false }

    /// Whether a read may find bytes that arrived after the last `beginRead`.
    package var mayRead: Bool { readEdge || peerClosed }

    /// Suspends until the descriptor is readable. Call it only after `EAGAIN`, or after a short
    /// read while `mayRead` is false.
    package func awaitReadable(until deadline: MonotonicTime) async -> Wake {
        if readEdge { return .ready }
        return await wait(.read, until: deadline)
    }

    /// Call before a write, like `beginRead` before a read.
    package func beginWrite() { writeEdge = false }

    /// Suspends until the descriptor is writable. Call it only after `EAGAIN`.
    package func awaitWritable(until deadline: MonotonicTime) async -> Wake {
        if writeEdge { return .ready }
        return await wait(.write, until: deadline)
    }

    /// Suspends until `interrupt` is called, whatever the kernel reports.
    package func awaitInterrupt(until deadline: MonotonicTime) async -> Wake {
        await wait(.none, until: deadline)
    }

    private func wait(_ direction: Direction, until deadline: MonotonicTime) async -> Wake {
        if isClosed { return .interrupted }
        watch()
        if interruptPending {
            interruptPending = false
            return .interrupted
        }
        if deadline <= loop.now { return .deadline }
        return await withUnsafeContinuation { continuation in
            assert(waiter == nil, "a channel has one task")
            // Calling an async function may take a turn of the loop (it does in debug builds), and
            // the kernel reports an edge once: an event since the caller's check must not be lost.
            if hasEdge(direction) {
                continuation.resume(returning: .ready)
                return
            }
            if isClosed || interruptPending {
                interruptPending = false
                continuation.resume(returning: .interrupted)
                return
            }
            waiter = continuation
            waitsFor = direction
            alarm.deadline = deadline
            if deadline != .never { loop.schedule(alarm) }
        }
    }

    /// Ends the present or next wait with `.interrupted`.
    package func interrupt() {
        if waiter == nil { interruptPending = true } else { end(.interrupted) }
    }

    /// False after `close`.
    package var isOpen: Bool { !isClosed }

    /// Breaks the connection without closing the descriptor: reads end, writes fail, and a waiting
    /// task is woken by the kernel's event.
    package func shutdown() {
        guard !isClosed else { return }
        _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Makes `close` reset the connection and discard the bytes that the peer has not taken
    /// (socket(7), SO_LINGER with no time); the kernel would otherwise keep them for minutes.
    package func resetOnClose() {
        var option = Glibc.linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option,
            socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    /// Closes the descriptor, which also removes it from the epoll. A wait ends as interrupted.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        loop.forget(self)
        Glibc.close(descriptor)
        end(.interrupted)
    }

    func deliver(_ events: UInt32) {
        let broken = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        if broken || events & EPOLLRDHUP.rawValue != 0 { notePeerClosed() }
        if broken || events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0 { readEdge = true }
        if broken || events & EPOLLOUT.rawValue != 0 { writeEdge = true }
        if waiter != nil, hasEdge(waitsFor) { end(.ready) }
    }

    private func hasEdge(_ direction: Direction) -> Bool {
        switch direction {
        case .read: readEdge
        case .write: writeEdge
        case .none: false
        }
    }

    private func notePeerClosed() {
        peerClosed = true
        onPeerClosed?()
        onPeerClosed = nil
    }

    private func end(_ wake: Wake) {
        guard let waiting = waiter else { return }
        waiter = nil
        alarm.deadline = .never
        waiting.resume(returning: wake)
    }
}

/// The channels of one loop by token.
///
/// A token combines a slot and the slot's generation: an event that the kernel had queued for a
/// descriptor that was closed in the same turn must not reach the channel that reuses its slot.
struct ChannelTable {
    /// The token of the loop's own eventfd.
    static let wakeupToken = UInt64.max

    private var slots: [Channel?] = []
    private var generations: [UInt32] = []
    private var free: [UInt32] = []

    mutating func insert(_ channel: Channel) {
        let slot: UInt32
        if let reused = free.popLast() {
            slot = reused
            slots[Int(slot)] = channel
        } else {
            slot = UInt32(slots.count)
            slots.append(channel)
            generations.append(0)
        }
        channel.token = UInt64(generations[Int(slot)]) << 32 | UInt64(slot)
    }

    mutating func remove(_ channel: Channel) {
        let slot = Int(UInt32(truncatingIfNeeded: channel.token))
        guard slot < slots.count, slots[slot] === channel else { return }
        slots[slot] = nil
        generations[slot] &+= 1
        free.append(UInt32(slot))
    }

    subscript(token token: UInt64) -> Channel? {
        let slot = Int(UInt32(truncatingIfNeeded: token))
        guard slot < slots.count, generations[slot] == UInt32(token >> 32) else { return nil }
        return slots[slot]
    }
}
