-- Up Migration

-- for ask_gates_again(): the few routes that wait for a person's hours, among all they ever got
create index routes_waiting on routes (tenant_id, user_id)
  where reason in ('paused', 'quiet_hours', 'digest') and next_attempt_at is not null;

-- Down Migration

drop index routes_waiting;
