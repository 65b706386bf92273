-- What the producer of a refused intent is told: a stable code, the field to change, and a sentence that says how. An
-- address among the options is at fault with the problem `option:` and its field.
create or replace function carillon.intent_failure(
  problem text, notification_type text, missing_field text, unknown_users text[], allowed text[], template text,
  bad_address bigint, channel text,
  out code text, out field text, out message text
) language sql immutable as $$
  select
    case case when problem like 'option:%' then 'address' else problem end
      when 'suspended' then 'tenant_suspended'
      when 'storage' then 'quota_exceeded'
      when 'routes' then 'rate_limited'
      when 'type' then 'unsupported_type'
      when 'producer' then 'invalid_producer'
      when 'payload' then 'invalid_payload'
      when 'depth' then 'invalid_payload'
      when 'expired' then 'invalid_timestamp'
      when 'template' then 'invalid_template'
      when 'thread' then 'invalid_request'
      when 'address' then 'invalid_recipients'
      when 'users' then 'recipient_not_found'
      else 'invalid_audience'
    end,
    case case when problem like 'option:%' then 'option' else problem end
      when 'option' then substr(problem, length('option:') + 1)
      when 'type' then 'notification_type'
      when 'producer' then 'producer'
      when 'payload' then 'payload.' || missing_field
      when 'depth' then 'payload'
      when 'expired' then 'expires_at'
      when 'template' then 'template'
      when 'thread' then 'thread.kind'
      when 'address' then 'audience.addresses.' || bad_address
      when 'users' then 'audience.user_ids'
      when 'suspended' then 'body'
      when 'storage' then 'body'
      when 'routes' then 'audience'
      when 'audience' then 'audience.kind'
      when 'admin_type' then 'audience.kind'
      else 'channels'
    end,
    case case when problem like 'option:%' then 'option' else problem end
      when 'option' then carillon.expected_address('email')
      when 'suspended' then 'The tenant is suspended by its operator.'
      when 'storage' then 'The storage that the operator allows this tenant is used up: delete something, or keep records for fewer days.'
      when 'routes' then 'It needs more routes than the operator still allows this tenant today; the count restarts at 00:00 UTC.'
      when 'type' then format('The type "%s" is not in the catalog, and this tenant does not accept unknown types.', notification_type)
      when 'producer' then format('The type "%s" allows only the producers %s.', notification_type, array_to_string(allowed, ', '))
      when 'audience' then format('The type "%s" allows only the audiences %s.', notification_type, array_to_string(allowed, ', '))
      when 'channels' then format('The type "%s" allows only the channels %s.', notification_type, array_to_string(allowed, ', '))
      when 'address_channel' then 'Addresses belong to one channel: leave channels out, or name only that of audience.channel.'
      when 'admin_type' then format('An admin_email audience takes its addresses from the type, and "%s" is not in the catalog.', notification_type)
      when 'admin_channel' then 'An admin_email audience is reached by email only.'
      when 'address' then carillon.expected_address(channel)
      when 'depth' then 'The payload is nested more than 100 levels deep.'
      when 'payload' then format('The type "%s" requires the payload field "%s".', notification_type, missing_field)
      when 'expired' then 'expires_at must be in the future.'
      when 'template' then format('No active template "%s" is published for %s: publish one, or leave template out.', template, array_to_string(allowed, ', '))
      when 'thread' then format('This tenant has only threads of the kinds %s (thread_kinds).', array_to_string(allowed, ', '))
      when 'users' then format('No such user: "%s". Create users with PUT /v1/users/{id} first.', array_to_string(unknown_users, '", "'))
    end
$$;
