import CCurl
import Glibc
import Platform

/// The thread that runs libcurl; nothing else uses its handles.
final class WebThread {
    private let inbox: WebInbox
    private let multi: UnsafeMutableRawPointer?
    private let poller: WebPoller?
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    private var handles: [UInt64: UnsafeMutableRawPointer] = [:]
    /// Easy handles for later requests, with the route that each was set to last.
    private var spares: [(easy: UnsafeMutableRawPointer, route: TransferKind?)] = []

    private static let sparesMax = 64
    /// curl_global_init(3) must be called once, before anything else.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init(_ inbox: WebInbox, idleConnectionsMax: Int) {
        self.inbox = inbox
        multi = Self.isReady ? curl_multi_init() : nil
        poller = WebPoller(wakeup: inbox.wakeup)
        guard let multi else { return }
        ipnd_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, idleConnectionsMax)
        poller?.serve(multi)
    }

    func run() {
        // OpenSSL writes without MSG_NOSIGNAL: a closed peer must be an error code, not a signal.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while let orders = inbox.take(), let multi, let poller {
            for order in orders { carryOut(order, multi) }
            poller.callTimer(multi)
            finishTransfers(multi)
            // Orders that arrive meanwhile wake the thread only if the inbox was found empty.
            poller.serveSockets(of: multi, waits: orders.isEmpty)
            finishTransfers(multi)
        }
        end()
    }

    private func carryOut(_ order: WebInbox.Order, _ multi: UnsafeMutableRawPointer) {
        switch order {
        case .start(let number, let request, let finish):
            guard let (easy, isSet) = handle(for: request) else {
                return finish(.failure(WebFailure(.failed, "libcurl has no memory left")))
            }
            let transfer = Transfer(number, request, easy: easy, finish: finish)
            do throws(WebFailure) {
                try transfer.prepare(isSet: isSet)
                let code = curl_multi_add_handle(multi, easy)
                guard code == CURLM_OK else {
                    throw WebFailure(.failed, String(cString: curl_multi_strerror(code)))
                }
                transfers[easy] = transfer
                handles[number] = easy
            } catch {
                transfer.end(error)
                release(easy, nil)
            }
        case .cancel(let number):
            guard let easy = handles[number], let transfer = remove(easy, multi) else { return }
            transfer.end(WebFailure(.canceled, "the request was cancelled"))
            release(easy, transfer.route)
        }
    }

    private func finishTransfers(_ multi: UnsafeMutableRawPointer) {
        var rest: Int32 = 0
        while let message = curl_multi_info_read(multi, &rest) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
                continue
            }
            // The message is freed with its handle.
            let code = ipnd_curl_result(message)
            guard let transfer = remove(easy, multi) else { continue }
            transfer.end(code)
            release(easy, transfer.route)
        }
    }

    private func remove(
        _ easy: UnsafeMutableRawPointer, _ multi: UnsafeMutableRawPointer
    ) -> Transfer? {
        guard let transfer = transfers.removeValue(forKey: easy) else { return nil }
        handles[transfer.number] = nil
        curl_multi_remove_handle(multi, easy)
        return transfer
    }

    /// Returns a handle, and whether it is already set to the request's route.
    private func handle(
        for request: WebRequest
    ) -> (easy: UnsafeMutableRawPointer, isSet: Bool)? {
        let route = TransferKind(request)
        if let place = spares.lastIndex(where: { $0.route == route }) {
            return (spares.remove(at: place).easy, true)
        }
        guard let spare = spares.popLast() else { return curl_easy_init().map { ($0, false) } }
        curl_easy_reset(spare.easy)
        return (spare.easy, false)
    }

    /// Keeps a handle for later requests. Its transfer must have been removed, because until the
    /// next transfer sets its own, options of the handle point to freed memory.
    private func release(_ easy: UnsafeMutableRawPointer, _ route: TransferKind?) {
        guard spares.count < Self.sparesMax else { return curl_easy_cleanup(easy) }
        ipnd_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, nil)
        spares.append((easy, route))
    }

    private func end() {
        let failure = WebFailure(.canceled, "the client is closed")
        for order in inbox.end() {
            if case .start(_, _, let finish) = order { finish(.failure(failure)) }
        }
        for (easy, transfer) in transfers {
            if let multi { curl_multi_remove_handle(multi, easy) }
            transfer.end(failure)
            curl_easy_cleanup(easy)
        }
        transfers = [:]
        for spare in spares { curl_easy_cleanup(spare.easy) }
        if let multi { curl_multi_cleanup(multi) }
    }
}
