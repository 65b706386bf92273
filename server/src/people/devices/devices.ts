/** Devices: where a person's pushes go. Tokens are never shown again; devices that a service refuses are quarantined. */
import { createHash } from 'node:crypto'
import type { Device, DeviceInput } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import { fieldErrors } from '../../platform/calls/field-errors.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { findUser, noUser } from '../users/users.ts'
import {
  type DeviceRow,
  deleteDevice,
  deleteOldestDevices,
  selectDevices,
  selectDeviceTokens,
  upsertDevice,
} from './queries.ts'

/** What PushSubscription.toJSON() returns in a browser. */
const Subscription = z.object({
  endpoint: z.url({ protocol: /^https?$/ }).max(2048),
  keys: z.object({ p256dh: z.string().min(1).max(200), auth: z.string().min(1).max(200) }),
})

export async function registerDevice(
  db: Executor,
  tenantId: string,
  userId: string,
  input: DeviceInput,
): Promise<Device> {
  const token = input.kind === 'web_push' ? readSubscription(input.token) : readToken(input.token)
  try {
    const row = await upsertDevice(db, tenantId, {
      id: uuidv7(),
      user_id: userId,
      kind: input.kind,
      token,
      token_hash: createHash('sha256').update(token).digest('hex'),
      label: input.label ?? '',
    })
    return toDevice(row)
  } catch (error) {
    if (isDatabaseError(error, 'foreign_key_violation')) throw noUser(userId)
    throw error
  }
}

/** Each push goes to all of them, and a page can subscribe as often as it likes. */
const MOST_BROWSERS = 20

/** By the person's own page. Of too many, the one that registered longest ago goes: it is hardly in use. */
export async function registerBrowser(
  db: Executor,
  tenantId: string,
  userId: string,
  input: DeviceInput,
): Promise<Device> {
  if (input.kind !== 'web_push') {
    const message = 'With a user token, only a browser (web_push) can be registered.'
    throw new Refusal('forbidden', message, [{ field: 'kind', message }])
  }
  const device = await registerDevice(db, tenantId, userId, input)
  await deleteOldestDevices(db, tenantId, userId, 'web_push', MOST_BROWSERS)
  return device
}

export async function listDevices(db: Executor, tenantId: string, userId: string): Promise<Device[]> {
  const rows = await selectDevices(db, tenantId, userId)
  if (rows.length === 0 && (await findUser(db, tenantId, userId)) === undefined) throw noUser(userId)
  return rows.map(toDevice)
}

export async function removeDevice(
  db: Executor,
  tenantId: string,
  userId: string,
  id: string,
): Promise<Device> {
  const row = await deleteDevice(db, tenantId, userId, id)
  if (row === undefined) throw notFound(`device ${id}`)
  return toDevice(row)
}

/** A person's devices with their tokens, for sending. */
export const devicesForSending = selectDeviceTokens
/** The condition for devices `d` that pushes go to. */
export { IS_IN_USE, liftQuarantine, quarantineDevices } from './queries.ts'

function toDevice(row: DeviceRow): Device {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}

/** Keeps only what sending needs, always in the same order, so that the same browser is recognised. */
function readSubscription(token: DeviceInput['token']): string {
  const value = typeof token === 'string' ? parseJson(token) : token
  const parsed = Subscription.safeParse(value)
  if (parsed.success) return JSON.stringify(parsed.data)
  const errors = fieldErrors(parsed.error, value, Subscription).map(({ field, message }) => ({
    field: field === 'body' ? 'token' : `token.${field}`,
    message,
  }))
  throw new Refusal('invalid_request', `${errors[0]?.field}: ${errors[0]?.message}`, errors)
}

function readToken(token: DeviceInput['token']): string {
  if (typeof token === 'string') return token
  throw new Refusal('invalid_request', 'token: Expected the registration token as a string.', [
    { field: 'token', message: 'Expected the registration token as a string.' },
  ])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
