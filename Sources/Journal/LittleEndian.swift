extension UnsafeRawBufferPointer {
    /// The little-endian integer at `offset`, aligned or not.
    func littleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
        _ type: Integer.Type = Integer.self, at offset: Int
    ) -> Integer {
        Integer(littleEndian: loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Stores `value` in little-endian order at `offset`, aligned or not.
    func store<Integer: FixedWidthInteger & BitwiseCopyable>(
        littleEndian value: Integer, at offset: Int
    ) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: Integer.self)
    }
}
