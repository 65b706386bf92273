-- The storm dampener: decides which mails may go to a person now, and counts those in the same transaction, before they are
-- sent. At most one about a thread in any `mails_per_thread_window_seconds`, and `mails_per_hour` of all of them in any
-- hour. Whoever asks holds a lock per person, so however many workers ask, there are never more. `refused` is 'thread' or
-- 'hour', null for mails that may go out; those that are `exempt` always may, and count for the others.
-- A mail that was counted before and never reported about (its worker died, or nobody knows whether it arrived) does not
-- stand in its own way. A simulation says `at` when a mail would be sent; without it, that is now.
create or replace function carillon.reserve_mails(asked jsonb) returns table (ord integer, refused text) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  mail record;
  at timestamptz;
begin
  -- like caps: the count matters only once the mail is sent, and that commit comes later in the same log
  perform set_config('synchronous_commit', 'off', true);
  -- Always in the same order, so that batches wait for each other instead of deadlocking. People have no row that every
  -- mail could lock: their own is changed, and locked, by others.
  perform pg_advisory_xact_lock(k.key) from (
    select distinct hashtextextended('mails:' || a.tenant_id || ':' || a.user_id, 0) as key
    from jsonb_to_recordset(asked) as a (tenant_id text, user_id text) order by 1
  ) k;
  for mail in
    select a.*, s.mails_per_thread_window_seconds as window_seconds, s.mails_per_hour as most
    from jsonb_to_recordset(asked) as a (ord integer, tenant_id uuid, user_id text, notification_id uuid, route_id text,
      thread_kind text, thread_id text, message_id text, exempt boolean, at timestamptz)
    join carillon.tenant_settings s on s.tenant_id = a.tenant_id
    order by a.at, a.tenant_id, a.notification_id, a.route_id
  loop
    -- after waiting for the lock, so that what others counted meanwhile lies in the past
    at := coalesce(mail.at, clock_timestamp());
    refused := case
      when mail.exempt then null
      when mail.thread_id is not null and mail.window_seconds > 0 and exists (
        select from carillon.notification_email_log l
        where l.tenant_id = mail.tenant_id and l.user_id = mail.user_id and l.thread_kind = mail.thread_kind
          and l.thread_id = mail.thread_id and l.counted_at > at - make_interval(secs => mail.window_seconds)
          and (l.record_id, l.route_id) <> (mail.notification_id, mail.route_id)
      ) then 'thread'
      when (
        select count(*) from (
          select from carillon.notification_email_log l
          where l.tenant_id = mail.tenant_id and l.user_id = mail.user_id and l.counted_at > at - interval '1 hour'
            and (l.record_id, l.route_id) <> (mail.notification_id, mail.route_id)
          limit mail.most
        ) recent
      ) >= mail.most then 'hour'
    end;
    if refused is null then
      insert into carillon.notification_email_log as l (tenant_id, user_id, record_id, route_id, notification_id,
        thread_kind, thread_id, topic, message_id, counted_at)
      values (mail.tenant_id, mail.user_id, mail.notification_id, mail.route_id,
        (select n.id from carillon.notifications n where n.tenant_id = mail.tenant_id and n.user_id = mail.user_id
          and n.thread_kind = mail.thread_kind and n.thread_id = mail.thread_id),
        mail.thread_kind, mail.thread_id,
        (select h.topic from carillon.threads h
          where h.tenant_id = mail.tenant_id and h.kind = mail.thread_kind and h.id = mail.thread_id),
        mail.message_id, at)
      -- what certainly was not sent has no row any more, so this one is about an attempt that nobody knows the end of
      on conflict (tenant_id, record_id, route_id) do update set
        counted_at = excluded.counted_at, may_have_arrived = true;
    end if;
    ord := mail.ord;
    return next;
  end loop;
end
$$;
