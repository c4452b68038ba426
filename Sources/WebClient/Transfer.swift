import Bytes
import CCurl
import Glibc
import Platform

/// One request in progress, with libcurl's callbacks. Used by the client's thread only.
final class Transfer {
    let number: UInt64
    let easy: UnsafeMutableRawPointer
    private let request: WebRequest
    private let finish: (Result<WebResponse, WebFailure>) -> Void

    private var fields: [Header] = []
    private var headByteCount = 0
    private var body: [UInt8] = []
    private var bodyByteCount = 0
    /// Set when a rule of ours ended the transfer.
    private var ownFailure: (reason: WebFailure.Reason, detail: String)?
    private var headerLines: UnsafeMutablePointer<curl_slist>?
    private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init(
        _ number: UInt64, _ request: WebRequest, easy: UnsafeMutableRawPointer,
        finish: @escaping (Result<WebResponse, WebFailure>) -> Void
    ) {
        self.number = number
        self.request = request
        self.easy = easy
        self.finish = finish
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_slist_free_all(headerLines)
        message.deallocate()
    }

    // MARK: Before

    /// The options that the handle is set to.
    var route: TransferKind { TransferKind(request) }

    /// Sets every option that is not set yet. libcurl calls back with this object, so it must live
    /// until the transfer has been removed.
    ///
    /// - Parameter isSet: Whether the handle was already prepared for the same route.
    func prepare(isSet: Bool) throws(WebFailure) {
        if let address = request.url.address,
            let refusal = request.route.addresses.refusal(of: address)
        {
            // Through a proxy, the address that is connected to is not visible later.
            throw WebFailure(.addressRefused, refusal)
        }
        var options = TransferOptions(easy, request)
        if !isSet {
            options.setRoute()
            options.note(ipnd_curl_set_write(easy, CURLOPT_HEADERFUNCTION, Self.takeHeader))
            options.note(ipnd_curl_set_write(easy, CURLOPT_WRITEFUNCTION, Self.takeBody))
            options.note(ipnd_curl_set_open_socket(easy, Self.openSocket))
            options.note(ipnd_curl_set_before_request(easy, Self.beforeRequest))
        }
        let own = Unmanaged.passUnretained(self).toOpaque()
        options.note(ipnd_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, message))
        try options.setHeaders(&headerLines)
        options.setBody()
        options.note(ipnd_curl_set_pointer(easy, CURLOPT_HEADERDATA, own))
        options.note(ipnd_curl_set_pointer(easy, CURLOPT_WRITEDATA, own))
        options.note(ipnd_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, own))
        options.note(ipnd_curl_set_pointer(easy, CURLOPT_PREREQDATA, own))
        try options.check()
    }

    // MARK: Under way

    private static func of(_ data: UnsafeMutableRawPointer?) -> Transfer? {
        data.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let takeHeader: curl_write_callback = { bytes, _, count, data in
        guard let transfer = of(data), let bytes else { return 0 }
        let line = UnsafeRawBufferPointer(start: bytes, count: count)
        return transfer.take(headerLine: line) ? count : 0
    }

    private static let takeBody: curl_write_callback = { bytes, _, count, data in
        guard let transfer = of(data), let bytes else { return 0 }
        return transfer.take(body: UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
    }

    private static let openSocket: curl_opensocket_callback = { data, _, address in
        guard let transfer = of(data), let address else { return CURL_SOCKET_BAD }
        let known = ipnd_curl_address(address).flatMap { IPAddress($0) }
        guard let known, transfer.admits(known) else { return CURL_SOCKET_BAD }
        let parts = address.pointee
        return socket(
            parts.family, parts.socktype | Int32(SOCK_CLOEXEC.rawValue), parts.protocol)
    }

    /// Also called on a connection that was kept alive: a request with other rules may have opened
    /// it.
    private static let beforeRequest: curl_prereq_callback = { data, address, _, _, _ in
        guard let transfer = of(data), let address,
            let known = IPAddress(String(cString: address)), transfer.admits(known)
        else { return CURL_PREREQFUNC_ABORT }
        return CURL_PREREQFUNC_OK
    }

    private func admits(_ address: IPAddress) -> Bool {
        guard let refusal = request.route.addresses.refusal(of: address) else { return true }
        ownFailure = (.addressRefused, refusal)
        return false
    }

    private func take(headerLine line: UnsafeRawBufferPointer) -> Bool {
        headByteCount += line.count
        guard headByteCount <= request.limits.headBytesMax else {
            ownFailure = (
                .answerTooLong, "the head is longer than \(request.limits.headBytesMax) bytes"
            )
            return false
        }
        // The fields of an interim answer do not belong to the final one.
        if line.starts(with: "HTTP/".utf8) { fields = [] }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line[0] != UInt8(ascii: " ")
        else { return true }
        let value = line[(colon + 1)...].trimmingWhiteSpace
        fields.append(Header(name: line[..<colon], value: value))
        return true
    }

    private func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        bodyByteCount += bytes.count
        guard bodyByteCount <= request.limits.bodyBytesMax else {
            ownFailure = (.answerTooLong, tooLong)
            return false
        }
        let room = request.limits.keptBytesMax - body.count
        if room > 0 { body.append(contentsOf: bytes.prefix(room)) }
        return true
    }

    private var tooLong: String {
        "the body is longer than \(request.limits.bodyBytesMax) bytes"
    }

    // MARK: After

    /// `CURLE_TOO_LARGE`, added in 8.6.
    private static let tooLarge = CURLcode(rawValue: 100)

    /// The reason if one of libcurl's own limits was exceeded. It reports a header line of more
    /// than 100 KiB as a lack of memory (lib/dynbuf.c of 7.88); later versions have a code for it.
    private func limitOfLibrary(_ code: CURLcode) -> (WebFailure.Reason, String)? {
        switch code {
        case CURLE_FILESIZE_EXCEEDED: return (.answerTooLong, tooLong)
        case CURLE_OUT_OF_MEMORY, Self.tooLarge:
            // Before the answer's first byte it really is a lack of memory.
            guard ipnd_curl_get_size(easy, CURLINFO_STARTTRANSFER_TIME_T) > 0 else { return nil }
            return (.answerTooLong, "a line of the head is longer than libcurl takes")
        default: return nil
        }
    }

    /// Finishes the request with libcurl's result.
    func end(_ code: CURLcode) {
        let latency = Int(ipnd_curl_get_size(easy, CURLINFO_TOTAL_TIME_T))
        let status = ipnd_curl_get_long(easy, CURLINFO_RESPONSE_CODE)
        guard code == CURLE_OK else {
            let (reason, detail) = ownFailure ?? limitOfLibrary(code) ?? (reason(code), text(code))
            return finish(
                .failure(
                    WebFailure(
                        reason, detail, status: status >= 200 ? status : nil, body: body,
                        latencyMicroseconds: latency)))
        }
        let retryAfter = Int(ipnd_curl_get_size(easy, CURLINFO_RETRY_AFTER))
        finish(
            .success(
                WebResponse(
                    status: status, headers: fields, body: body, bodyByteCount: bodyByteCount,
                    version: version, latencyMicroseconds: latency,
                    retryAfterSeconds: retryAfter > 0 ? retryAfter : nil,
                    usedNewConnection: ipnd_curl_get_long(easy, CURLINFO_NUM_CONNECTS) > 0)))
    }

    func end(_ failure: WebFailure) { finish(.failure(failure)) }

    private var version: String {
        switch ipnd_curl_get_long(easy, CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): "1.0"
        case Int(CURL_HTTP_VERSION_2_0): "2"
        default: "1.1"
        }
    }

    private func text(_ code: CURLcode) -> String {
        let own = String(cString: message)
        return own.isEmpty ? String(cString: curl_easy_strerror(code)) : own
    }

    private func reason(_ code: CURLcode) -> WebFailure.Reason {
        switch code {
        case CURLE_COULDNT_CONNECT:
            let isRefused = ipnd_curl_get_long(easy, CURLINFO_OS_ERRNO) == Int(ECONNREFUSED)
            return isRefused ? .connectRefused : .connectFailed
        case CURLE_OPERATION_TIMEDOUT:
            // Zero until the request could be sent.
            return ipnd_curl_get_size(easy, CURLINFO_PRETRANSFER_TIME_T) == 0
                ? .connectTimeout : .timeout
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            // A proxy that refuses to connect sends its own answer.
            let isProxys = ipnd_curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE) >= 300
            return isProxys ? .proxyFailed : .reset
        default: return WebFailure.Reason(code)
        }
    }
}
