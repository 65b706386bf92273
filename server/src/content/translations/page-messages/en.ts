/** The pages that people see, in English. A tenant's translations with the same keys take precedence. */
export const EN = {
  'page.channel.in_app': 'In the app',
  'page.channel.email': 'Email',
  'page.channel.sms': 'Text message',
  'page.channel.push': 'Push',
  'page.channel.chat': 'Chat',
  'page.channel.webhook': 'Webhook',
  // Put into the sentences of the page that unsubscribes.
  'page.by.in_app': 'in the app',
  'page.by.email': 'by email',
  'page.by.sms': 'by text message',
  'page.by.push': 'by push notification',
  'page.by.chat': 'by chat',
  'page.by.webhook': 'by webhook',

  'page.preferences.title': 'Your notifications',
  'page.preferences.intro': 'Choose what {$sender} sends you, and when.',
  'page.preferences.intro_unnamed': 'Choose what we send you, and when.',
  'page.preferences.saved': 'Saved. Your changes apply from now on.',
  'page.preferences.invalid':
    'Nothing was saved. Enter times such as 22:00, choose a time zone from the list, and let a pause end in the future.',
  'page.preferences.save': 'Save',

  'page.what.title': 'What you get',
  'page.what.caption': 'What you get, by channel',
  'page.what.category': 'Topic',
  'page.what.everything': 'Everything',
  'page.what.hint': '“Everything” switches a whole channel on or off, including urgent messages.',
  'page.what.required': 'Essential, so always sent',
  'page.what.hint_required':
    '“Everything” switches a whole channel on or off, including urgent messages, but not what is always sent.',

  'page.often.title': 'How often',
  'page.often.message': 'Right away',
  'page.often.hour': 'Once an hour',
  'page.often.day': 'Once a day',
  'page.often.week': 'Once a week',
  'page.often.at': 'Send daily and weekly digests at',
  'page.often.on': 'Send weekly digests on',
  'page.often.hint':
    'A digest combines several messages into one. Urgent messages and your inbox are never delayed.',

  'page.quiet.title': 'Quiet hours',
  'page.quiet.switch': 'Hold back messages during these hours',
  'page.quiet.from': 'From',
  'page.quiet.until': 'Until',
  'page.quiet.days': 'On these days',
  'page.quiet.more': 'More hours on other days',
  'page.quiet.invalid':
    'Nothing was saved. Quiet hours need a start and an end that differ, and must leave part of the week free.',
  'page.quiet.zone': 'Time zone',
  'page.quiet.hint':
    'Urgent messages are sent at any hour. Messages in your inbox make no sound and are not held back.',

  'page.pause.title': 'Pause',
  'page.pause.length': 'Hold back all messages',
  'page.pause.none': 'Not paused',
  'page.pause.hour': 'For an hour',
  'page.pause.tomorrow': 'Until tomorrow at {$time}',
  'page.pause.week': 'For a week',
  'page.pause.until': 'Until a date and time',
  'page.pause.end': 'End of the pause',
  'page.pause.hint':
    'Messages wait until the pause is over. Urgent messages are still sent, and your inbox shows everything.',
  'page.pause.active': 'Paused until {$until}.',
  'page.pause.active_on': '{$channels}: paused until {$until}.',
  'page.pause.stop': 'End the pause now',

  'page.unsubscribe.title': 'Unsubscribe?',
  'page.unsubscribe.category': 'You will no longer get messages about “{$category}” {$by}.',
  'page.unsubscribe.channel': 'You will no longer get messages {$by}.',
  'page.unsubscribe.channel_except': 'You will no longer get messages {$by}, except about: {$categories}.',
  'page.unsubscribe.thread':
    'You will no longer get messages about “{$thread}”, except when somebody addresses you directly.',
  'page.unsubscribe.confirm': 'Unsubscribe',
  'page.unsubscribed.title': 'Unsubscribed',
  'page.unsubscribed.undo': 'Undo this or change what else you get',

  'page.required.title': 'You cannot unsubscribe from this',
  'page.required.text': 'Messages about “{$category}” are always sent. Nothing was changed.',
  'page.required.change': 'Change what else you get',

  'page.expired.title': 'This link has expired',
  'page.expired.text': 'Open your notification settings again from where you found the link.',
  'page.broken.title': 'This link does not work',
  'page.broken.text':
    'Part of it may be missing. Copy the whole address, or open the link again from where you found it.',
}

export type PageMessageKey = keyof typeof EN
export type PageMessages = Record<PageMessageKey, string>
