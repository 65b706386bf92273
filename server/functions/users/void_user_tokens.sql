-- Ends the tokens of a person's browsers that exist by now; false if there is no such person.
create or replace function carillon.void_user_tokens(tenant uuid, person text)
returns boolean language sql as $$
  with voided as (
    update carillon.users set tokens_void_before = clock_timestamp() where tenant_id = tenant and id = person returning id
  )
  select exists (select from voided)
$$;
