-- Up Migration

-- Who is told about system events, from which severity on, and how long events are kept.
alter table tenants
  add column system_event_admins text[] not null default '{}',
  add column system_event_min_severity text not null default 'high'
    check (system_event_min_severity in ('low', 'medium', 'high', 'critical')),
  add column system_event_retention_days integer not null default 180
    check (system_event_retention_days between 90 and 365);

-- Down Migration

alter table tenants
  drop column system_event_retention_days,
  drop column system_event_min_severity,
  drop column system_event_admins;
