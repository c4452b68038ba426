import JSON

extension AcceptedCase {
    static let structures: [AcceptedCase] = [
        .init("y_array_empty", "[]"),
        .init("y_array_with_white_space", " [ ] "),
        .init("y_array_of_every_kind", #"[null,1,"1",{},[],true,false]"#),
        .init("y_array_nested", "[[[[]]],[]]"),
        .init("y_array_with_several_nulls", "[1,null,null,null,2]"),
        .init("y_array_with_trailing_space", "[2] "),
        .init("y_array_with_line_ends", "[1\n,\r\n1\r]"),
        .init("y_array_of_an_empty_string", #"[""]"#),
        .init("y_object_empty", "{}"),
        .init("y_object_with_white_space", "{ }"),
        .init("y_object_one_member", #"{"a":1}"#),
        .init("y_object_with_space_around_everything", "\t{\n\"a\" :\r1 , \"b\"\t: [ 1 ] } \n"),
        .init("y_object_empty_name", #"{"":0}"#),
        .init("y_object_name_with_nul_escape", #"{"foo\u0000bar":42}"#),
        .init("y_object_names_that_share_a_prefix", #"{"a":1,"aa":2,"aaa":3}"#),
        .init("y_object_names_that_differ_in_case", #"{"a":1,"A":2}"#),
        .init("y_object_same_name_at_other_depth", #"{"a":{"a":{"a":1}}}"#),
        .init("y_object_same_name_in_siblings", #"[{"a":1},{"a":1}]"#),
        .init("y_object_normalization_is_not_equality", "{\"\u{E9}\":1,\"e\u{301}\":2}"),
        .init("y_object_with_objects", #"{"a":{"b":[{"c":{}}]},"d":{}}"#),
        .init("y_root_string", #""a""#),
        .init("y_root_empty_string", #""""#),
        .init("y_root_number", "42"),
        .init("y_root_negative", "-1"),
        .init("y_root_true", "true"),
        .init("y_root_false", " false"),
        .init("y_root_null", "null\n"),
    ]

    static let numbers: [AcceptedCase] = [
        "0", "-0", "1", "-1", "10", "123456789", "0.0", "-0.0", "0.5", "100.0", "1.000",
        "1e5", "1E5", "1e+5", "1e-5", "1E+05", "0e0", "0e+1", "0.1e1", "123.456e78",
        "-0.000000000000000000000000000000000000000000000000000000000000000000000000001",
        "123456789012345678901234567890", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "1e400", "1e-400",
    ].flatMap { (number: String) -> [AcceptedCase] in
        [
            .init("y_number \(number)", number), .init("y_number in array", "[\(number)]"),
            .init("y_number in object", "{\"a\":\(number) }"),
        ]
    }

    static let strings: [AcceptedCase] = [
        .init("y_string_short_escapes", #"["\"\\\/\b\f\n\r\t"]"#),
        .init("y_string_unicode_escape", #"["\u0041\u00e9\u00E9\uFFFF"]"#),
        .init("y_string_nul_escape", #"["\u0000"]"#),
        .init("y_string_surrogate_pair", #"["\uD83D\uDE00"]"#),
        .init("y_string_first_surrogate_pair", #"["\uD800\udc00"]"#),
        .init("y_string_last_surrogate_pair", #"["\udbff\uDFFF"]"#),
        .init("y_string_escaped_backslash_before_u", #"["\\u0000","\\uD800"]"#),
        .init("y_string_comments_are_content", #"["a/*b*/c//d"]"#),
        .init("y_string_delete_character", "[\"\u{7F}\"]"),
        .init("y_string_c1_control", "[\"\u{80}\u{9F}\"]"),
        .init("y_string_noncharacters", "[\"\u{FFFE}\u{FFFF}\u{10FFFF}\u{1FFFE}\"]"),
        .init("y_string_line_separators", "[\"\u{2028}\u{2029}\"]"),
        .init("y_string_byte_order_mark_inside", "[\"\u{FEFF}\"]"),
        .init("y_string_around_the_surrogates", "[\"\u{D7FF}\u{E000}\"]"),
        .init("y_string_two_three_four_bytes", "[\"\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\"]"),
        .init("y_string_every_length_to_a_word", #"["","a","ab","abcdefg","abcdefgh"]"#),
        .init("y_string_brackets_are_content", #"["]}[{,:"]"#),
    ]
}
