-- Up Migration

-- Sending deliveries again was part of webhooks:write and is a scope of its own now: keys keep what they could do.
update api_keys set scopes = scopes || '{webhook_deliveries:write}'::text[]
where 'webhooks:write' = any (scopes) and 'webhook_deliveries:write' <> all (scopes);

-- Down Migration

-- Before, webhooks:write included it, and there was no such scope.
update api_keys set scopes = array_remove(scopes, 'webhook_deliveries:write')
where 'webhook_deliveries:write' = any (scopes);
