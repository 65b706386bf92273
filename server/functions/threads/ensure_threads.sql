-- Creates or completes threads, each given with tenant_id, kind and id, and perhaps topic, title, url and author_id; the
-- topics exist already. The newest title and address that are given replace those that are there; topic and author are only
-- filled in, with the first that are given. Somebody unknown is no author. Always in the same order: two who write the same
-- threads wait for each other instead of deadlocking.
create or replace function carillon.ensure_threads(threads jsonb) returns void language plpgsql strict
set enable_seqscan = off as $$
begin
  insert into carillon.threads as t (tenant_id, kind, id, topic, title, url, author_id)
  select g.tenant_id, g.kind, g.id, p.topic, coalesce(g.title, ''), coalesce(g.url, ''), g.author_id
  from (
    select x.tenant_id, x.kind, x.id,
      (array_agg(x.topic order by x.ord) filter (where x.topic is not null))[1] as topic,
      (array_agg(x.title order by x.ord desc) filter (where x.title is not null))[1] as title,
      (array_agg(x.url order by x.ord desc) filter (where x.url is not null))[1] as url,
      (array_agg(v.id order by x.ord) filter (where v.id is not null))[1] as author_id
    from rows from (jsonb_to_recordset(threads) as (
      tenant_id uuid, kind text, id text, topic text, title text, url text, author_id text
    )) with ordinality as x (tenant_id, kind, id, topic, title, url, author_id, ord)
    left join carillon.users v on v.tenant_id = x.tenant_id and v.id = x.author_id
    group by x.tenant_id, x.kind, x.id
  ) g
  left join carillon.topics p on p.tenant_id = g.tenant_id and p.topic = g.topic
  -- what changes nothing is left out, so that most events lock no thread
  where not exists (
    select from carillon.threads o where o.tenant_id = g.tenant_id and o.kind = g.kind and o.id = g.id
      and o.title = coalesce(g.title, o.title) and o.url = coalesce(g.url, o.url)
      and (o.topic is not null or p.topic is null) and (o.author_id is not null or g.author_id is null)
  )
  order by g.tenant_id, g.kind, g.id
  on conflict (tenant_id, kind, id) do update set
    topic = coalesce(t.topic, excluded.topic), author_id = coalesce(t.author_id, excluded.author_id),
    title = coalesce(nullif(excluded.title, ''), t.title), url = coalesce(nullif(excluded.url, ''), t.url),
    updated_at = now();
end
$$;
