/** What the panel of a person's own settings says. */

export interface PreferencesWords {
  title: string
  loading: string
  loadFailed: string
  retry: string
  saved: string
  notSaved: string

  channelsTitle: string
  channels: Record<'in_app' | 'email' | 'sms' | 'push' | 'chat' | 'webhook', string>
  categoriesTitle: string
  categoriesHint: string
  required: string
  /** The name of a switch, from `{category}` and `{channel}`. */
  categoryOn: string

  oftenTitle: string
  often: Record<'message' | 'hour' | 'day' | 'week', string>
  digestAt: string
  digestOn: string

  pauseTitle: string
  pauseHint: string
  /** With `{until}`. */
  paused: string
  pauseFor: Record<'hour' | 'tomorrow' | 'week', string>
  resume: string

  quietTitle: string
  quietHint: string
  /** With `{channel}`. */
  quietOn: string
  from: string
  until: string
  days: string
  several: string

  pushTitle: string
  pushText: string
  pushEnable: string
  pushDisable: string
  pushBlocked: string
}
