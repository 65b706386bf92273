/** What people want: channels, categories, reasons, quiet hours and caps. */
import type {
  Channel,
  DefaultPreferences,
  DefaultPreferencesChanges,
  DefaultPreferencesInput,
  OptOut,
  Page,
  PreferenceLink,
  PreferenceLinkInput,
  Preferences,
  PreferencesChanges,
  PreferencesInput,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { everyRow, type PagePosition } from './pages.ts'
import { path } from './path.ts'

export function createPreferences(send: Send) {
  const optOuts = (
    query: { channel: Channel } & PagePosition,
    options?: CallOptions,
  ): Promise<Page<OptOut>> => send({ method: 'GET', path: '/v1/preferences/opt-outs', query, ...options })

  return {
    async get(userId: string, options?: CallOptions): Promise<Preferences> {
      return send({ method: 'GET', path: path`/v1/users/${userId}/preferences`, ...options })
    },

    /** Replaces all of them: what the document does not mention falls back to the defaults. */
    async put(userId: string, preferences: PreferencesInput, options?: CallOptions): Promise<Preferences> {
      return send({
        method: 'PUT',
        path: path`/v1/users/${userId}/preferences`,
        body: preferences,
        ...options,
      })
    },

    /** Changes only what is mentioned, down to one setting of one channel; null takes a choice back. */
    async update(userId: string, changes: PreferencesChanges, options?: CallOptions): Promise<Preferences> {
      return send({
        method: 'PATCH',
        path: path`/v1/users/${userId}/preferences`,
        body: changes,
        ...options,
      })
    },

    /** The user's own preference page. Whoever has the link can change the preferences until it expires. */
    async createLink(
      userId: string,
      link: PreferenceLinkInput = {},
      options?: CallOptions,
    ): Promise<PreferenceLink> {
      return send({
        method: 'POST',
        path: path`/v1/users/${userId}/preference-links`,
        body: link,
        ...options,
      })
    },

    /** What applies to users who have not chosen. */
    getDefaults(options?: CallOptions): Promise<DefaultPreferences> {
      return send({ method: 'GET', path: '/v1/preferences', ...options })
    },

    putDefaults(preferences: DefaultPreferencesInput, options?: CallOptions): Promise<DefaultPreferences> {
      return send({ method: 'PUT', path: '/v1/preferences', body: preferences, ...options })
    },

    updateDefaults(changes: DefaultPreferencesChanges, options?: CallOptions): Promise<DefaultPreferences> {
      return send({ method: 'PATCH', path: '/v1/preferences', body: changes, ...options })
    },

    /** Who switched a channel off. */
    optOuts,

    allOptOuts(query: { channel: Channel } & PagePosition, options?: CallOptions) {
      return everyRow<OptOut>(next => optOuts({ ...query, ...next }, options), query)
    },
  }
}
