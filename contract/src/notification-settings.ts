/** Notification settings: everything that a panel shows in which a person decides what reaches them. */
import { z } from 'zod'
import { Channel } from './common.ts'
import { DefaultPreferences, Preferences } from './preferences.ts'

export const SettingsCategory = z.object({
  category: z.string(),
  name: z.string().describe('What people read, in the person’s language if it was translated'),
  description: z.string(),
  required: z.boolean().describe('It cannot be switched off'),
  channels: z.array(Channel).describe('On which its notifications are sent'),
})
export type SettingsCategory = z.infer<typeof SettingsCategory>

export const NotificationSettings = z.object({
  user: z.object({ id: z.string(), locale: z.string(), timezone: z.string() }),
  channels: z.array(Channel).describe('On which the tenant sends anything'),
  categories: z.array(SettingsCategory).describe('In the order in which people see them'),
  preferences: Preferences.describe('What the person has chosen'),
  defaults: DefaultPreferences.describe('What applies where the person has chosen nothing'),
  web_push: z.object({
    public_key: z
      .string()
      .nullable()
      .describe('With which a browser subscribes (VAPID); null if the tenant sends no web push'),
  }),
})
export type NotificationSettings = z.infer<typeof NotificationSettings>
