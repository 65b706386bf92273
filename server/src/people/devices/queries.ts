/** The SQL of devices. */
import type { Device } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export type DeviceRow = Omit<Device, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date }

const DEVICE = 'id, user_id, kind, label, created_at, updated_at'

/** A token belongs to one person: whoever registers it last. */
export async function upsertDevice(
  db: Executor,
  tenantId: string,
  device: { id: string; user_id: string; kind: string; token: string; token_hash: string; label: string },
): Promise<DeviceRow> {
  const { rows } = await db.query<DeviceRow>(
    `insert into user_devices (id, tenant_id, user_id, kind, token, token_hash, label) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (tenant_id, kind, token_hash) do update set user_id = excluded.user_id, label = excluded.label, updated_at = now()
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
    'select id, kind, token from user_devices where tenant_id = $1 and user_id = $2 order by created_at, id',
    [tenantId, userId],
  )
  return rows
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
