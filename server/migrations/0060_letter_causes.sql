-- Up Migration

-- What letters are grouped by, beside why they failed. Null until it is known: in rows of before, and of processes of the
-- version before, it is filled in by the sweep.
alter table dead_letters add column provider text, add column template text;

-- Down Migration

alter table dead_letters drop column provider, drop column template;
