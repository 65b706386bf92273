-- The rule of each relation for a kind of events, those that decide first before the others. A rule of the tenant wins over
-- a built-in one, a kind over a beginning of it, and a longer beginning over a shorter one. A rule without channels takes
-- the others away, and one about a relation that does not exist means nobody.
create or replace function carillon.rules_for(tenant uuid, kind text)
returns table (
  relation text, reason text, channels text[], passes_mute boolean, notification_type text, event_kind text,
  is_builtin boolean
) language plpgsql stable
set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
begin
  return query
  select r.relation, n.reason, r.channels, r.passes_mute, coalesce(r.notification_type, kind), r.event_kind, r.is_builtin
  from (
    select distinct on (a.relation) a.* from (
      select o.relation, o.channels, o.passes_mute, o.notification_type, o.event_kind, false as is_builtin
      from carillon.fanout_rules o where o.tenant_id = tenant
      union all
      select b.relation, b.channels, b.passes_mute, null, b.event_kind, true from carillon.builtin_fanout_rules() b
    ) a
    where carillon.matches_glob(a.event_kind, kind)
    order by a.relation, a.is_builtin, a.event_kind = kind desc, length(a.event_kind) desc
  ) r
  join (
    select distinct on (a.name) a.* from (
      select o.name, o.priority, o.reason, 0 as place from carillon.relations o where o.tenant_id = tenant
      union all
      select b.name, b.priority, b.reason, 1 from carillon.builtin_relations() b
    ) a order by a.name, a.place
  ) n on n.name = r.relation
  where r.channels <> '{}'
  order by n.priority, n.name;
end
$$;
