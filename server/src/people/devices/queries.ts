/** The SQL of devices. */
import type { Device } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export type DeviceRow = Omit<Device, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date }

/** Neither gone nor in quarantine. */
export const IS_IN_USE = 'not d.is_gone and (d.retry_at is null or d.retry_at <= now())'

const DEVICE = `id, user_id, kind, label, created_at, updated_at,
  case when is_gone then 'gone' when retry_at > now() then 'quarantined' else 'active' end as state`

/** A token belongs to one person: whoever registers it last. */
export async function upsertDevice(
  db: Executor,
  tenantId: string,
  device: { id: string; user_id: string; kind: string; token: string; token_hash: string; label: string },
): Promise<DeviceRow> {
  const { rows } = await db.query<DeviceRow>(
    `insert into user_devices (id, tenant_id, user_id, kind, token, token_hash, label) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (tenant_id, kind, token_hash) do update set user_id = excluded.user_id, label = excluded.label, updated_at = now(),
       rejections = 0, rejected_since = null, retry_at = null, is_gone = false
     returning ${DEVICE}`,
    [device.id, tenantId, device.user_id, device.kind, device.token, device.token_hash, device.label],
  )
  return rows[0]!
}

export async function selectDevices(db: Executor, tenantId: string, userId: string): Promise<DeviceRow[]> {
  const { rows } = await db.query<DeviceRow>(
    `select ${DEVICE} from user_devices where tenant_id = $1 and user_id = $2 order by created_at, id`,
    [tenantId, userId],
  )
  return rows
}

/** With their tokens, for sending only. */
export async function selectDeviceTokens(db: Executor, tenantId: string, userId: string) {
  const { rows } = await db.query<{ id: string; kind: Device['kind']; token: string }>(
    `select d.id, d.kind, d.token from user_devices d where d.tenant_id = $1 and d.user_id = $2 and ${IS_IN_USE}
     order by d.created_at, d.id`,
    [tenantId, userId],
  )
  return rows
}

/** For new settings of a provider: its devices may have been refused because of the old ones. */
export async function liftQuarantine(db: Executor, tenantId: string, kind: string): Promise<void> {
  await db.query(
    `update user_devices set retry_at = null
     where tenant_id = $1 and kind = $2 and rejected_since is not null and not is_gone and retry_at > now()`,
    [tenantId, kind],
  )
}

export async function deleteDevice(
  db: Executor,
  tenantId: string,
  userId: string,
  id: string,
): Promise<DeviceRow | undefined> {
  const { rows } = await db.query<DeviceRow>(
    `delete from user_devices where tenant_id = $1 and user_id = $2 and id = $3 returning ${DEVICE}`,
    [tenantId, userId, id],
  )
  return rows[0]
}

/** All but the `keep` that were registered last. */
export async function deleteOldestDevices(
  db: Executor,
  tenantId: string,
  userId: string,
  kind: Device['kind'],
  keep: number,
): Promise<void> {
  await db.query(
    `delete from user_devices where id in (
       select id from user_devices where tenant_id = $1 and user_id = $2 and kind = $3
       order by updated_at desc, id desc offset $4)`,
    [tenantId, userId, kind, keep],
  )
}

/** Devices that their push service says do not exist any more, unless they were registered after `since`. */
export async function quarantineDevices(
  db: Executor,
  devices: { tenant_id: string; id: string; since: Date }[],
): Promise<void> {
  if (devices.length > 0) await db.query('select quarantine_devices($1)', [JSON.stringify(devices)])
}
