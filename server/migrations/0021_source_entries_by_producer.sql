-- Up Migration

-- Two producers may relay streams whose entries have the same ids, so an entry belongs to its producer as well.
create unique index records_source_entry_of_producer_key on records (tenant_id, source, producer, source_entry_id)
  where source_entry_id is not null;
drop index records_source_entry_key;
alter table malformed_intents drop constraint malformed_intents_pkey;
alter table malformed_intents add primary key (tenant_id, source, producer, source_entry_id);
drop index malformed_intents_listing;
create index malformed_intents_listing on malformed_intents
  (tenant_id, recorded_at desc, source_entry_id desc, producer desc);

-- Down Migration

drop index malformed_intents_listing;
create index malformed_intents_listing on malformed_intents (tenant_id, recorded_at desc, source_entry_id desc);
-- Before, one entry was one row and one record, whichever producer sent it: the first is kept.
delete from malformed_intents m using malformed_intents first
where first.tenant_id = m.tenant_id and first.source = m.source and first.source_entry_id = m.source_entry_id
  and (first.recorded_at, first.producer) < (m.recorded_at, m.producer);
alter table malformed_intents drop constraint malformed_intents_pkey;
alter table malformed_intents add primary key (tenant_id, source, source_entry_id);
update records r set source_entry_id = null
from records first
where first.tenant_id = r.tenant_id and first.source = r.source and first.source_entry_id = r.source_entry_id
  and (first.accepted_at, first.notification_id) < (r.accepted_at, r.notification_id);
drop index records_source_entry_of_producer_key;
create unique index records_source_entry_key on records (tenant_id, source, source_entry_id)
  where source_entry_id is not null;
