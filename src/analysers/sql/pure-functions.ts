import type { SqlDialect } from "./statement.js";

const names = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Aggregates, window functions and plain arithmetic or text functions that the three dialects share. */
const SHARED = names(`
  abs acos asin atan atan2 avg ceil ceiling coalesce concat concat_ws cos cot count cume_dist current_date current_time
  current_timestamp degrees dense_rank exp first_value floor greatest lag last_value lead least left length ln log log10 lower
  lpad ltrim max min mod nth_value ntile nullif percent_rank pi pow power radians random rank replace right round row_number rpad
  rtrim sign sin sqrt substr substring sum tan trim upper`);

const POSTGRES = names(`
  age array_agg array_append array_cat array_dims array_length array_lower array_ndims array_position array_positions
  array_prepend array_remove array_replace array_to_json array_to_string array_upper ascii bit_and bit_length bit_or bit_xor
  bool_and bool_or btrim cardinality cbrt char_length character_length chr clock_timestamp col_description convert_from
  convert_to corr covar_pop covar_samp current_catalog current_database current_role current_schema current_schemas
  current_setting current_user currval date_bin date_part date_trunc decode div encode enum_first enum_last enum_range
  erf every extract factorial format format_type gcd generate_series generate_subscripts gen_random_uuid get_bit get_byte
  has_any_column_privilege has_column_privilege has_database_privilege has_function_privilege has_schema_privilege
  has_sequence_privilege has_table_privilege host hostmask inet_client_addr inet_server_addr initcap isfinite json_agg
  json_array_elements json_array_elements_text json_array_length json_build_array json_build_object json_each json_each_text
  json_extract_path json_extract_path_text json_object json_object_agg json_object_keys json_populate_record
  json_populate_recordset json_strip_nulls json_to_record json_to_recordset json_typeof jsonb_agg jsonb_array_elements
  jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text
  jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_agg jsonb_object_keys jsonb_path_exists
  jsonb_path_match jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_populate_record jsonb_pretty jsonb_set
  jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof justify_days justify_hours justify_interval lastval lcm
  localtime localtimestamp make_date make_interval make_time make_timestamp make_timestamptz masklen md5 mode netmask network
  normalize now num_nonnulls num_nulls numnode obj_description octet_length overlaps overlay percentile_cont percentile_disc
  pg_backend_pid pg_client_encoding pg_column_size pg_conf_load_time pg_database_size pg_encoding_to_char
  pg_function_is_visible pg_get_constraintdef pg_get_expr pg_get_function_arguments pg_get_function_identity_arguments
  pg_get_function_result pg_get_functiondef pg_get_indexdef pg_get_keywords pg_get_ruledef pg_get_serial_sequence
  pg_get_triggerdef pg_get_userbyid pg_get_viewdef pg_has_role pg_indexes_size pg_is_in_recovery pg_is_other_temp_schema
  pg_my_temp_schema pg_postmaster_start_time pg_relation_filenode pg_relation_size pg_size_bytes pg_size_pretty
  pg_stat_get_numscans pg_table_is_visible pg_table_size pg_tablespace_location pg_tablespace_size pg_total_relation_size
  pg_type_is_visible pg_typeof phraseto_tsquery plainto_tsquery position quote_ident quote_literal quote_nullable regexp_count
  regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table
  regexp_substr regr_slope repeat reverse row row_to_json scale session_user setseed setweight sha224 sha256 sha384 sha512
  shobj_description similar_to_escape similarity split_part starts_with statement_timestamp stddev stddev_pop stddev_samp
  string_agg string_to_array string_to_table strip strpos text timeofday timezone to_ascii to_char to_date to_hex to_json
  to_jsonb to_number to_regclass to_regtype to_timestamp to_tsquery to_tsvector transaction_timestamp translate trim_scale
  trunc ts_delete ts_filter ts_headline ts_lexize ts_rank ts_rank_cd txid_current_if_assigned unaccent unistr unnest user
  uuid_generate_v4 uuidv4 uuidv7 var_pop var_samp variance version websearch_to_tsquery width_bucket word_similarity xmlagg
  xmlconcat xmlelement xmlexists xmlforest xpath xpath_exists is_normalized like_escape system_user
  st_area st_asgeojson st_astext st_contains st_distance st_dwithin st_geomfromtext st_intersects st_length st_makepoint
  st_setsrid st_transform st_within st_x st_y cosine_distance l2_distance inner_product`);

const MYSQL = names(`
  adddate addtime any_value ascii bin bin_to_uuid bit_and bit_count bit_length bit_or bit_xor cast char char_length
  character_length charset coercibility collation compress connection_id conv convert convert_tz crc32 curdate
  current_role current_user curtime database date date_add date_format date_sub datediff day dayname dayofmonth dayofweek
  dayofyear elt export_set extract field find_in_set format format_bytes found_rows from_base64 from_days from_unixtime
  group_concat grouping hex hour icu_version if ifnull inet6_aton inet6_ntoa inet_aton inet_ntoa insert instr interval
  is_ipv4 is_ipv6 is_uuid isnull json_array json_array_append json_arrayagg json_contains json_contains_path json_depth
  json_extract json_insert json_keys json_length json_merge_patch json_merge_preserve json_object json_objectagg
  json_overlaps json_pretty json_quote json_remove json_replace json_search json_set json_storage_size json_table json_type
  json_unquote json_valid json_value last_day lcase locate localtime localtimestamp log2 make_set makedate maketime match
  md5 microsecond mid minute month monthname name_const now oct octet_length ord period_add period_diff position quarter
  quote rand regexp_instr regexp_like regexp_replace regexp_substr repeat reverse row row_count schema sec_to_time second
  session_user sha sha1 sha2 soundex space st_area st_asgeojson st_astext st_contains st_distance st_distance_sphere
  st_geomfromtext st_within st_x st_y std stddev stddev_pop stddev_samp str_to_date strcmp subdate substring_index subtime
  sysdate system_user time time_format time_to_sec timediff timestamp timestampadd timestampdiff to_base64 to_days
  to_seconds truncate ucase uncompress unhex unix_timestamp user utc_date utc_time utc_timestamp uuid uuid_short uuid_to_bin
  values var_pop var_samp variance version week weekday weekofyear year yearweek`);

const SQLITE = names(`
  bm25 changes char date datetime format generate_series glob group_concat hex highlight if ifnull iif instr json json_array
  json_array_length json_each json_error_position json_extract json_group_array json_group_object json_insert json_object
  json_patch json_pretty json_quote json_remove json_replace json_set json_tree json_type json_valid jsonb jsonb_array
  jsonb_extract jsonb_object julianday last_insert_rowid like likelihood likely match octet_length printf quote randomblob
  snippet soundex sqlite_compileoption_get sqlite_compileoption_used sqlite_source_id sqlite_version strftime string_agg
  time timediff total total_changes trunc typeof unhex unicode unistr unixepoch unlikely zeroblob
  pragma_table_info pragma_table_xinfo pragma_table_list pragma_index_list pragma_index_info pragma_index_xinfo
  pragma_foreign_key_list pragma_database_list pragma_function_list pragma_collation_list pragma_compile_options`);

/** Functions of the system itself that only compute or look. Whatever is not here asks. */
export const PURE_FUNCTIONS: Readonly<Record<SqlDialect, ReadonlySet<string>>> = {
  postgres: new Set([...SHARED, ...POSTGRES]),
  mysql: new Set([...SHARED, ...MYSQL]),
  sqlite: new Set([...SHARED, ...SQLITE]),
};
