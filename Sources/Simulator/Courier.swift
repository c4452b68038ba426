import RawClient

/// Takes a request somewhere and brings back the answer. One thread uses it at a time.
package protocol Courier: AnyObject {
    /// - Throws: ``ClientError`` where no answer came.
    func deliver(_ request: [UInt8], answersHead: Bool) throws(ClientError) -> ReceivedResponse
}

extension RawClient: Courier {
    package func deliver(
        _ request: [UInt8], answersHead: Bool
    ) throws(ClientError) -> ReceivedResponse {
        try exchange(request, answersHead: answersHead)
    }
}
