-- Whether a person may be told what happens in a topic: it is public, or they are a member. A topic that was deleted is
-- seen by nobody; what belongs to no topic is not restricted. Plain SQL without settings, so that callers can inline it.
create or replace function carillon.may_see(tenant uuid, topic text, person text) returns boolean
language sql stable as $$
  select may_see.topic is null or exists (
    select from carillon.topics t
    where t.tenant_id = tenant and t.topic = may_see.topic and (t.visibility = 'public' or exists (
      select from carillon.topic_members m
      where m.tenant_id = tenant and m.topic = may_see.topic and m.user_id = person))
  )
$$;
