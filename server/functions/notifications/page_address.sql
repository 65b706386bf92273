-- The address if it is that of a page, otherwise nothing: others could run something where they are shown. The same as
-- PageAddress in contract/src/common.ts; inbox/notifications/shown.test.ts runs one table of cases through both.
create or replace function carillon.page_address(address text) returns text language sql immutable as $$
  select address where length(address) <= 2000 and address ~* '^(https?://[^\s/]|/(?![/\\]))\S*$|^/$'
$$;
