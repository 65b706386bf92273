/** The person's settings on the server: everything that the panel shows in one call, and single changes of it. */
import type { NotificationSettings, PreferencesChanges } from '@carillon/sdk/inbox'
import type { Inbox } from '../../client/inbox-api.ts'

export type Settings = NotificationSettings

export const loadSettings = ({ client }: Inbox): Promise<Settings> => client.settings()

export async function saveChanges(
  { client }: Inbox,
  settings: Settings,
  changes: PreferencesChanges,
): Promise<Settings> {
  const preferences = await client.updatePreferences(settings.user.id, changes)
  return { ...settings, preferences }
}
