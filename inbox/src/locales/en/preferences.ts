import type { PreferencesWords } from '../preferences-words.ts'

export const preferences: PreferencesWords = {
  title: 'Settings',
  loading: 'Loading settings',
  loadFailed: 'Your settings did not load.',
  retry: 'Try again',
  saved: 'Saved',
  notSaved: 'Not saved: {problem}',

  channelsTitle: 'How you hear from us',
  channels: {
    in_app: 'In the app',
    email: 'Email',
    sms: 'Text message',
    push: 'Push',
    chat: 'Chat',
    webhook: 'Webhook',
  },
  categoriesTitle: 'What you get',
  categoriesHint: 'A channel that is switched off above stays silent, whatever is chosen here.',
  required: 'Always sent',
  categoryOn: '{category}: {channel}',
  oftenTitle: 'How often',
  often: { message: 'Right away', hour: 'Once an hour', day: 'Once a day', week: 'Once a week' },
  digestAt: 'Time',
  digestOn: 'Day',

  pauseTitle: 'Pause',
  pauseHint:
    'Messages wait until the pause is over. Urgent ones are still sent, and your inbox shows everything.',
  paused: 'Paused until {until}',
  pauseFor: { hour: 'For an hour', tomorrow: 'Until tomorrow', week: 'For a week' },
  resume: 'End the pause',

  quietTitle: 'Quiet hours',
  quietHint: 'Messages wait until these hours are over. Urgent ones are sent at any time.',
  quietOn: 'Quiet hours for {channel}',
  from: 'From',
  until: 'Until',
  days: 'Days',
  several: 'Several windows are set. Changing them here leaves one.',

  pushTitle: 'Notifications on this device',
  pushText: 'Your browser shows what is new, even when this page is closed.',
  pushEnable: 'Switch on',
  pushDisable: 'Switch off',
  pushBlocked: 'Your browser blocks notifications from this site. Allow them in its settings first.',
}
