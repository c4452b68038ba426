import CCurl
import Glibc
import Platform

/// The thread that runs libcurl: nothing else touches its handles.
final class WebThread {
    private let inbox: WebInbox
    private let multi: UnsafeMutableRawPointer?
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    private var handles: [UInt64: UnsafeMutableRawPointer] = [:]
    /// Easy handles for the next requests: making one costs more than resetting it.
    private var spares: [UnsafeMutableRawPointer] = []

    private static let sparesMax = 64
    /// libcurl's own timers and the inbox end the wait sooner.
    private static let waitMillisecondsMax: Int32 = 60_000

    /// curl_global_init(3) is to be called once, before anything else.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init(_ inbox: WebInbox, idleConnectionsMax: Int) {
        self.inbox = inbox
        multi = Self.isReady ? curl_multi_init() : nil
        guard let multi else { return }
        ipnd_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, idleConnectionsMax)
        inbox.open(multi)
    }

    func run() {
        // OpenSSL writes without MSG_NOSIGNAL: a peer that is gone must be an error code.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while let orders = inbox.take(), let multi {
            for order in orders { carryOut(order, multi) }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            finishTransfers(multi)
            curl_multi_poll(multi, nil, 0, Self.waitMillisecondsMax, nil)
        }
        end()
    }

    private func carryOut(_ order: WebInbox.Order, _ multi: UnsafeMutableRawPointer) {
        switch order {
        case .start(let number, let request, let finish):
            guard let easy = spares.popLast() ?? curl_easy_init() else {
                return finish(.failure(WebFailure(.failed, "libcurl has no memory left")))
            }
            let transfer = Transfer(number, request, easy: easy, finish: finish)
            do throws(WebFailure) {
                try transfer.prepare()
                let code = curl_multi_add_handle(multi, easy)
                guard code == CURLM_OK else {
                    throw WebFailure(.failed, String(cString: curl_multi_strerror(code)))
                }
                transfers[easy] = transfer
                handles[number] = easy
            } catch {
                transfer.end(error)
                release(easy)
            }
        case .cancel(let number):
            guard let easy = handles[number], let transfer = remove(easy, multi) else { return }
            transfer.end(WebFailure(.canceled, "the request was cancelled"))
            release(easy)
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
            release(easy)
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

    private func release(_ easy: UnsafeMutableRawPointer) {
        guard spares.count < Self.sparesMax else { return curl_easy_cleanup(easy) }
        // No option may point to the transfer any more.
        curl_easy_reset(easy)
        spares.append(easy)
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
        for easy in spares { curl_easy_cleanup(easy) }
        if let multi { curl_multi_cleanup(multi) }
    }
}
