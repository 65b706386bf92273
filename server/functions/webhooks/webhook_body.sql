-- The body that an endpoint gets: made once, when the event happens, so that every attempt and every redelivery sends the
-- same bytes. `data` goes in unchanged; a payload inside it keeps the bytes its producer sent.
create or replace function carillon.webhook_body(
  format text, event_id uuid, event text, tenant uuid, subject text, traceparent text, data json
) returns text language sql stable as $$
  select case format
    when 'cloudevents' then (
      select row_to_json(body)::text from (
        select '1.0' as specversion, event_id as id, 'urn:carillon:tenant:' || tenant as source, event as type, subject,
          carillon.iso(now()) as time, 'application/json' as datacontenttype, data
      ) body where traceparent = ''
      union all
      select row_to_json(body)::text from (
        select '1.0' as specversion, event_id as id, 'urn:carillon:tenant:' || tenant as source, event as type, subject,
          carillon.iso(now()) as time, 'application/json' as datacontenttype, traceparent, data
      ) body where traceparent <> ''
    )
    else (
      select row_to_json(body)::text from (
        select event_id as id, event as type, carillon.iso(now()) as timestamp, data
      ) body
    )
  end
$$;

create or replace function carillon.webhook_content_type(format text) returns text language sql immutable as $$
  select case format when 'cloudevents' then 'application/cloudevents+json' else 'application/json' end
$$;
