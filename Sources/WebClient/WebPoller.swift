import CCurl
import CLinux
import Glibc
import Platform

/// Holds the sockets of all transfers in one epoll, and libcurl's next timer, as
/// curl_multi_socket_action(3) requires. curl_multi_poll(3) would examine every transfer after each
/// event.
final class WebPoller {
    private let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let wakeup: Int32
    private var events = [epoll_event](repeating: epoll_event(), count: 64)
    /// Number of running transfers, which libcurl requires an output for; unused.
    private var running: Int32 = 0
    /// When libcurl must be called regardless of its sockets. libcurl uses the kernel's clock;
    /// another clock would call it too early or too late.
    private var timer = KernelTimer()

    /// - Parameter wakeup: An eventfd; writing to it ends a wait.
    init?(wakeup: Int32) {
        self.wakeup = wakeup
        guard descriptor >= 0 else { return nil }
        watch(wakeup, EPOLLIN.rawValue)
    }

    deinit { close(descriptor) }

    /// Registers the poller with `multi` and must outlive it.
    func serve(_ multi: UnsafeMutableRawPointer) {
        let own = Unmanaged.passUnretained(self).toOpaque()
        ipnd_curl_multi_set_socket(multi, Self.takeSocket, own)
        ipnd_curl_multi_set_timer(multi, Self.takeTimer, own)
    }

    private static let takeSocket: curl_socket_callback = { _, socket, what, data, _ in
        guard let data else { return -1 }
        let poller = Unmanaged<WebPoller>.fromOpaque(data).takeUnretainedValue()
        switch what {
        case CURL_POLL_IN: poller.watch(socket, EPOLLIN.rawValue)
        case CURL_POLL_OUT: poller.watch(socket, EPOLLOUT.rawValue)
        case CURL_POLL_INOUT: poller.watch(socket, EPOLLIN.rawValue | EPOLLOUT.rawValue)
        // A closed socket has already left the epoll.
        default: epoll_ctl(poller.descriptor, EPOLL_CTL_DEL, socket, nil)
        }
        return 0
    }

    private static let takeTimer: curl_multi_timer_callback = { _, milliseconds, data in
        guard let data else { return -1 }
        let poller = Unmanaged<WebPoller>.fromOpaque(data).takeUnretainedValue()
        poller.timer.set(milliseconds: milliseconds < 0 ? nil : milliseconds)
        return 0
    }

    private func watch(_ socket: Int32, _ interest: UInt32) {
        var event = epoll_event()
        event.events = interest
        event.data.fd = socket
        if epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event) != 0, errno == EEXIST {
            epoll_ctl(descriptor, EPOLL_CTL_MOD, socket, &event)
        }
    }

    /// Calls libcurl if its timer is due. This starts new transfers.
    func callTimer(_ multi: UnsafeMutableRawPointer) {
        guard timer.isDue else { return }
        timer.set(milliseconds: nil)
        curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
    }

    /// Serves the sockets that are ready. With `waits`, waits for a socket, the timer or a write to
    /// `wakeup`.
    func serveSockets(of multi: UnsafeMutableRawPointer, waits: Bool) {
        let timeout = waits ? timer.pollTimeout : 0
        let count = epoll_wait(descriptor, &events, Int32(events.count), timeout)
        for index in 0..<Int(max(0, count)) { serve(events[index], multi) }
    }

    private func serve(_ event: epoll_event, _ multi: UnsafeMutableRawPointer) {
        let socket = event.data.fd
        guard socket != wakeup else {
            var number: UInt64 = 0
            _ = read(wakeup, &number, 8)
            return
        }
        var what: Int32 = 0
        if event.events & EPOLLIN.rawValue != 0 { what |= CURL_CSELECT_IN }
        if event.events & EPOLLOUT.rawValue != 0 { what |= CURL_CSELECT_OUT }
        if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { what |= CURL_CSELECT_ERR }
        curl_multi_socket_action(multi, socket, what, &running)
    }
}
