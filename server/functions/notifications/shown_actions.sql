-- The buttons of a payload, if that is what they are, otherwise nothing: producers may send anything. The same as
-- InboxActionDefinitions in contract/src/notifications.ts; inbox/notifications/shown.test.ts runs one table of cases
-- through both.
create or replace function carillon.shown_actions(actions jsonb) returns jsonb language plpgsql immutable as $$
declare
  action jsonb;
begin
  if jsonb_typeof(actions) is distinct from 'array' or jsonb_array_length(actions) not between 1 and 5 then
    return null;
  end if;
  for action in select a from jsonb_array_elements(actions) a loop
    if jsonb_typeof(action) <> 'object'
      or exists (select from jsonb_object_keys(action) k where k not in ('id', 'label', 'url', 'event_kind'))
      or not (action ? 'id' and action ? 'label')
      or carillon.name_problem(action -> 'id', 64) is not null
      or carillon.name_problem(action -> 'label', 100) is not null
      or coalesce(action -> 'event_kind', 'null') <> 'null' and carillon.name_problem(action -> 'event_kind', 64) is not null
      or coalesce(action -> 'url', 'null') <> 'null'
        and (jsonb_typeof(action -> 'url') <> 'string' or carillon.page_address(action ->> 'url') is null)
    then
      return null;
    end if;
  end loop;
  if (select count(distinct a ->> 'id') from jsonb_array_elements(actions) a) < jsonb_array_length(actions) then
    return null;
  end if;
  return actions;
end
$$;
