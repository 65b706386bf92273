-- Up Migration
-- Outside a transaction: the indexes are built while letters are written.

-- those whose cause is still to be filled in; soon none
create index concurrently if not exists dead_letters_unnamed on dead_letters (tenant_id, id) where provider is null;
-- everything that did not reach somebody
create index concurrently if not exists dead_letters_recipient on dead_letters
  (tenant_id, recipient_ref, created_at desc, id desc) where recipient_ref <> '';

-- Down Migration

drop index if exists dead_letters_recipient;
drop index if exists dead_letters_unnamed;
