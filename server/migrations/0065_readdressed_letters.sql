-- Up Migration

-- Where an operator sent the message of a letter instead, and where it was to go before; null if nobody changed it.
alter table dead_letters add column replayed_from text, add column replayed_to text;

-- Down Migration

alter table dead_letters drop column replayed_from, drop column replayed_to;
