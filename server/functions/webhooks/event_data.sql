-- What an event says: only ids, with which the rest can be read from the API, or everything as it is at this moment.
create or replace function carillon.event_data(
  mode text, rec carillon.records, route carillon.routes, category text, dead_letter_id uuid, inbox_id uuid
) returns json language sql stable as $$
  select case mode
    when 'thin' then (
      select row_to_json(d) from (
        select rec.notification_id, rec.notification_type, route.route_id, dead_letter_id, inbox_id
      ) d
    )
    else (
      select row_to_json(d) from (
        select rec.notification_id, rec.notification_type, route.route_id, dead_letter_id, inbox_id,
          category, rec.producer, rec.idempotency_key, rec.request_id, carillon.iso(rec.occurred_at) as occurred_at,
          carillon.iso(rec.accepted_at) as accepted_at,
          -- keeps bodies below about 20 KB, which receivers can expect to handle
          case when octet_length(rec.payload_json) <= 16384 then rec.payload_json::json end as payload,
          octet_length(rec.payload_json) > 16384 as payload_omitted,
          case when route.route_id is not null then (
            select row_to_json(r) from (
              select route.channel, route.recipient_ref, route.user_id, route.status, route.reason, route.attempt_count,
                route.max_attempts, route.provider, route.provider_message_id,
                route.last_error_classification as error_classification, route.last_error_message as error_message,
                carillon.iso(route.sent_at) as sent_at, carillon.iso(route.delivered_at) as delivered_at,
                carillon.iso(route.bounced_at) as bounced_at
            ) r
          ) end as route
      ) d
    )
  end
$$;
