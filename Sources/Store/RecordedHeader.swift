/// One header field as it was received: name and value are bytes, for RFC 9110 §5.5 does not bind values to UTF-8.
package struct RecordedHeader: Sendable, Equatable {
    package var name: ArraySlice<UInt8>
    package var value: ArraySlice<UInt8>

    package init(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        self.name = name
        self.value = value
    }
}
