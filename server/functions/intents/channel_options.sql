-- The options of an intent by channel, `{"email": {…}, "sms": {…}}`, whose shape has been checked.

-- The first address in them that is none, as the name of its field; null when all are.
create or replace function carillon.bad_option_address(options jsonb) returns text language sql immutable as $$
  select 'email.' || a.field from (
    select 1 as n, 0::bigint as m, 'reply_to' as field, options #>> '{email,reply_to}' as given
    where options #>> '{email,reply_to}' is not null
    union all
    select 2, e.n, 'cc.' || e.n - 1, e.v
    from jsonb_array_elements_text(options #> '{email,cc}') with ordinality as e (v, n)
    union all
    select 3, e.n, 'bcc.' || e.n - 1, e.v
    from jsonb_array_elements_text(options #> '{email,bcc}') with ordinality as e (v, n)
  ) a
  where carillon.normal_address('email', a.given) is null order by a.n, a.m limit 1
$$;

-- As they are stored with the record: addresses in their one form, and attachments without their contents.
create or replace function carillon.stored_options(options jsonb) returns jsonb language sql immutable as $$
  select case when options ? 'email' then options || jsonb_build_object('email', (options -> 'email') || jsonb_strip_nulls(
    jsonb_build_object(
      'reply_to', carillon.normal_address('email', options #>> '{email,reply_to}'),
      'cc', (select jsonb_agg(distinct carillon.normal_address('email', v))
        from jsonb_array_elements_text(options #> '{email,cc}') v),
      'bcc', (select jsonb_agg(distinct carillon.normal_address('email', v))
        from jsonb_array_elements_text(options #> '{email,bcc}') v),
      'attachments', (
        select jsonb_agg(jsonb_build_object('filename', e.v ->> 'filename', 'content_type', e.v ->> 'content_type',
          'bytes', carillon.attachment_bytes(e.v ->> 'content')) order by e.n)
        from jsonb_array_elements(options #> '{email,attachments}') with ordinality as e (v, n))
    ))) else options end
$$;
