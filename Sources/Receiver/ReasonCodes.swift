/// The reason codes of refused requests, as in config/reasons.md: with them a command can tell a
/// mistyped code from one that no request has had yet.
package enum ReasonCodes {
    package static let all: [String] = list.split(whereSeparator: \.isWhitespace).map(String.init)

    private static let list = """
        answers_limit bodies_limit body_idle_timeout body_malformed body_not_hex body_not_object
        body_timeout body_too_large callback_too_large certificate_expired certificate_name
        certificate_unavailable certificate_unreadable certificate_untrusted certificate_url_refused
        checkout_parameter chunk_data_end_invalid chunk_extension_invalid chunk_line_end_invalid
        chunk_line_too_long chunk_overhead_too_large chunk_size_invalid client_id_mismatch
        connection_reset connections_limit connections_per_peer_limit
        content_length_and_transfer_encoding content_length_invalid content_length_repeated
        database_refused database_unavailable decryption_failed descriptors_exhausted
        duplicate_header empty_lines_before_request encrypted_body_missing events_too_many
        expectation_unknown field_colon_missing field_missing field_name_empty field_name_invalid
        field_name_whitespace field_obsolete_fold field_value_invalid fields_duplicate_name
        fields_forbidden_name fields_malformed fields_missing fields_not_text
        fields_required_missing fields_too_many foreign_network form_duplicate_field form_escape
        form_syntax form_too_many_fields form_utf8 head_bare_cr head_bare_lf head_timeout
        head_too_large head_whitespace_before_first_field host_differs_from_target host_invalid
        host_missing host_repeated id_malformed idle_connection_displaced iv_malformed
        journal_failed json_byte_order_mark json_control_character json_depth json_duplicate_key
        json_empty json_escape json_nodes json_number json_surrogate json_syntax json_too_large
        json_trailing_content json_truncated json_utf8 key_unknown merchant_account_mismatch
        method_invalid method_not_allowed missing_header no_space not_fetched overloaded
        parameter_duplicate parameter_missing payload_characters project_id_mismatch
        proxy_header_malformed proxy_header_missing proxy_header_timeout proxy_header_too_long
        proxy_header_untrusted proxy_header_version public_key_unknown reader_dropped
        record_too_long request_displaced request_incomplete request_line_too_long
        request_line_whitespace request_time_malformed root_member_unknown shutting_down
        sign_missing sign_not_text signature_algorithm_unknown signature_encoding
        signature_header_syntax signature_length signature_mismatch signature_missing
        signature_not_text signature_parameter_duplicate signature_parts_too_many signature_prefix
        signature_too_many signature_version_unknown signed_field_ambiguous signed_field_boolean
        signed_field_missing signed_field_structured signed_key_ambiguous signed_value_ambiguous
        signed_value_malformed signed_value_missing tag_malformed target_form_invalid target_invalid
        target_percent_invalid timestamp_malformed timestamp_out_of_tolerance tls_eof tls_handshake
        tls_handshake_displaced tls_handshake_timeout tls_plain_http tls_record token_mismatch
        trailer_forbidden trailer_too_large transfer_encoding_in_http_1_0
        transfer_encoding_not_chunked transfer_encoding_unsupported transmission_reused unknown_path
        verification_too_costly version_invalid version_not_supported webhook_id_malformed
        write_stalled wrong_method
        """
}
