-- Up Migration

-- Outside a transaction: changes are written while the index is built.
create index concurrently if not exists audit_logs_account on audit_logs (tenant_id, account_id, created_at desc, id desc) where account_id is not null;

-- Down Migration

drop index audit_logs_account;
