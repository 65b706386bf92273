-- Who did something last, without repeats: the list shows "Ada, Bob and 3 others".
create or replace function carillon.recent_actors(earlier jsonb, actor text) returns jsonb language sql immutable as $$
  select case
    when actor is null then coalesce(earlier, '[]')
    else jsonb_build_array(actor) || coalesce((
      select jsonb_agg(a.name order by a.place)
      from jsonb_array_elements_text(earlier) with ordinality as a (name, place)
      where a.name <> actor and a.place <= 5
    ), '[]')
  end
$$;
