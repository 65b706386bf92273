-- The record a digest is sent under. Callers hold the digest's lock: see join_digests() and close_digest().

-- Type, template, depth and retry delays are those of its first item. Returns whether the record is new.
create or replace function carillon.create_digest_record(
  tenant uuid, digest uuid, item uuid, channel text, recipient_ref text, due timestamptz
) returns boolean language plpgsql as $$
begin
  if exists (select from carillon.records r where r.tenant_id = tenant and r.notification_id = digest) then
    return false;
  end if;
  insert into carillon.records (
    tenant_id, notification_id, notification_type, producer, audience_kind, recipients, channels, payload_json,
    idempotency_key, request_fingerprint, idempotency_expires_at, source, retry_base_ms, retry_cap_ms, send_at,
    accepted_at, expanded_at, updated_at, template, trigger_depth
  )
  select r.tenant_id, digest, r.notification_type, 'carillon',
    case split_part(recipient_ref, ':', 1) when 'user' then 'users' when 'admin' then 'admin_email' else 'addresses' end,
    array[substring(recipient_ref from position(':' in recipient_ref) + 1)], array[channel], '{}',
    'digest:' || digest, '', due, 'digest', r.retry_base_ms, r.retry_cap_ms, due, now(), now(), now(), r.template,
    r.trigger_depth
  from carillon.records r where r.tenant_id = tenant and r.notification_id = item;
  return true;
end
$$;

create or replace function carillon.bring_record_forward(tenant uuid, notification uuid, due timestamptz) returns void
language plpgsql as $$
begin
  update carillon.records r set send_at = due, updated_at = now()
  where r.tenant_id = tenant and r.notification_id = notification;
end
$$;

create or replace function carillon.write_digest_payload(tenant uuid, digest uuid, payload text) returns void
language plpgsql as $$
begin
  update carillon.records r set payload_json = payload, updated_at = now()
  where r.tenant_id = tenant and r.notification_id = digest;
end
$$;

-- A digest continues the longest of the chains that led to its items. Otherwise a script that is called for a digest which
-- could not be delivered, and whose message joins the next one, would be called for ever.
create or replace function carillon.continue_chain(tenant uuid, digest uuid, depth integer) returns void
language plpgsql as $$
begin
  update carillon.records r set trigger_depth = depth
  where r.tenant_id = tenant and r.notification_id = digest and r.trigger_depth < depth;
end
$$;
