import CCurl
import Glibc
import Platform

/// The thread that runs libcurl: nothing else touches its handles.
final class WebThread {
    private let inbox: WebInbox
    private let multi: UnsafeMutableRawPointer?
    private let poller: WebPoller?
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    private var handles: [UInt64: UnsafeMutableRawPointer] = [:]
    /// Easy handles for the next requests, with what they were set to last.
    private var spares: [(easy: UnsafeMutableRawPointer, route: WebRoute?)] = []

    private static let sparesMax = 64
    /// curl_global_init(3) is to be called once, before anything else.
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
        // OpenSSL writes without MSG_NOSIGNAL: a peer that is gone must be an error code.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while let orders = inbox.take(), let multi, let poller {
            for order in orders { carryOut(order, multi) }
            poller.callTimer(multi)
            finishTransfers(multi)
            // What was ordered meanwhile wakes only from an inbox that was found empty.
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
            // The message goes with its handle.
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

    /// A handle, and whether it is set to the request's route already.
    private func handle(
        for request: WebRequest
    ) -> (easy: UnsafeMutableRawPointer, isSet: Bool)? {
        let route = WebRoute(request)
        if let place = spares.lastIndex(where: { $0.route == route }) {
            return (spares.remove(at: place).easy, true)
        }
        guard let spare = spares.popLast() else { return curl_easy_init().map { ($0, false) } }
        curl_easy_reset(spare.easy)
        return (spare.easy, false)
    }

    /// The transfer must have been removed: until the next one has set its own, options of the
    /// handle point to what is gone.
    private func release(_ easy: UnsafeMutableRawPointer, _ route: WebRoute?) {
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
