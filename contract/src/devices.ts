/** Devices: where a person's push messages go. */
import { z } from 'zod'
import { Timestamp } from './common.ts'

export const DEVICE_KINDS = ['fcm', 'apns', 'expo', 'web_push'] as const
export const DeviceInput = z.strictObject({
  kind: z.enum(DEVICE_KINDS),
  token: z
    .union([z.string().min(1).max(4096), z.record(z.string(), z.unknown())])
    .describe('The registration token, or the web push subscription object'),
  label: z.string().max(100).default(''),
})
export type DeviceInput = z.input<typeof DeviceInput>

export const Device = z.object({
  id: z.uuid(),
  user_id: z.string(),
  kind: z.enum(DEVICE_KINDS),
  label: z.string(),
  state: z
    .enum(['active', 'quarantined', 'gone'])
    .describe(
      'quarantined: its service refused it, and it is tried again after a day or when the settings of the provider change; gone: it does not exist any more, and is deleted after 30 days unless it is registered again',
    ),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Device = z.infer<typeof Device>
