import CCurl
import CLinux
import Glibc
import Platform

/// The sockets of all transfers in one epoll, and libcurl's next timer, as
/// curl_multi_socket_action(3) asks for. curl_multi_poll(3) in its place would look at every
/// transfer after each event.
final class WebPoller {
    private let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let wakeup: Int32
    private var events = [epoll_event](repeating: epoll_event(), count: 64)
    /// The number of running transfers, which libcurl insists on returning; unused.
    private var running: Int32 = 0
    /// When libcurl wants to be called whatever its sockets do. libcurl counts by the kernel's
    /// clock, so another one would call it too early or too late.
    private var timer = KernelTimer()

    /// - Parameter wakeup: an eventfd; a write to it ends a wait.
    init?(wakeup: Int32) {
        self.wakeup = wakeup
        guard descriptor >= 0 else { return nil }
        watch(wakeup, EPOLLIN.rawValue)
    }

    deinit { close(descriptor) }

    /// Makes libcurl say here what it waits for. The poller must live as long as `multi`.
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
        // A socket that is closed by now has left the epoll by itself.
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

    /// Calls libcurl if its timer is due. New transfers begin here.
    func callTimer(_ multi: UnsafeMutableRawPointer) {
        guard timer.isDue else { return }
        timer.set(milliseconds: nil)
        curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
    }

    /// Serves the sockets that are ready; where `waits`, it waits for one, for the timer or for
    /// a write to `wakeup`.
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
