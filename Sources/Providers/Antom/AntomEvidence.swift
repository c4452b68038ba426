/// What Antom's signature covers and these rules read: the whole body.
///
/// It covers the path, the client id and the request time too. The first two are the endpoint's
/// own, and the time may be another one in a retry, so none of them is handed on. The query is not
/// here: it may or may not have been signed.
package struct AntomEvidence: Sendable, Equatable {
    let body: [UInt8]
}
