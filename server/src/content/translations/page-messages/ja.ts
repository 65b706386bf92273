/** The pages that people see, in Japanese. */
import type { PageMessages } from './en.ts'

export const JA: PageMessages = {
  'page.channel.in_app': 'アプリ内',
  'page.channel.email': 'メール',
  'page.channel.sms': 'SMS',
  'page.channel.push': 'プッシュ通知',
  'page.channel.chat': 'チャット',
  'page.channel.webhook': 'Webhook',
  'page.by.in_app': 'アプリ内',
  'page.by.email': 'メール',
  'page.by.sms': 'SMS',
  'page.by.push': 'プッシュ通知',
  'page.by.chat': 'チャット',
  'page.by.webhook': 'Webhook',

  'page.preferences.title': '通知の設定',
  'page.preferences.intro': '{$sender}から受け取るお知らせと、そのタイミングを選べます。',
  'page.preferences.intro_unnamed': '受け取るお知らせと、そのタイミングを選べます。',
  'page.preferences.saved': '保存しました。変更はすぐに反映されます。',
  'page.preferences.invalid':
    '保存できませんでした。時刻は22:00のように入力し、タイムゾーンは一覧から選び、一時停止の終了には未来の日時を指定してください。',
  'page.preferences.save': '保存する',

  'page.what.title': '受け取るお知らせ',
  'page.what.caption': '受け取るお知らせ（受け取り方法別）',
  'page.what.category': '種類',
  'page.what.everything': 'すべて',
  'page.what.hint':
    '「すべて」では、緊急のお知らせも含めて、その受け取り方法全体のオンとオフを切り替えます。',
  'page.what.required': '重要なため、必ず送られます',
  'page.what.hint_required':
    '「すべて」では、緊急のお知らせも含めて、その受け取り方法全体のオンとオフを切り替えます。ただし、必ず送られるお知らせは対象外です。',

  'page.often.title': '受け取る頻度',
  'page.often.message': 'すぐに',
  'page.often.hour': '1時間に1回',
  'page.often.day': '1日に1回',
  'page.often.week': '週に1回',
  'page.often.at': '毎日・毎週のまとめを送る時刻',
  'page.often.on': '毎週のまとめを送る曜日',
  'page.often.hint':
    'まとめでは、複数のお知らせを1通にして送ります。緊急のお知らせとアプリ内の受信箱が遅れることはありません。',

  'page.quiet.title': '通知を控える時間帯',
  'page.quiet.switch': 'この時間帯はお知らせを保留する',
  'page.quiet.from': '開始',
  'page.quiet.until': '終了',
  'page.quiet.days': '対象の曜日',
  'page.quiet.more': 'ほかの曜日の時間帯を追加',
  'page.quiet.invalid':
    '保存できませんでした。通知を控える時間帯の開始と終了には異なる時刻を入力し、1週間すべてが含まれないようにしてください。',
  'page.quiet.zone': 'タイムゾーン',
  'page.quiet.hint':
    '緊急のお知らせは時間帯にかかわらず送られます。アプリ内の受信箱のお知らせは音が鳴らないため、保留されません。',

  'page.pause.title': '一時停止',
  'page.pause.length': 'すべてのお知らせを保留する',
  'page.pause.none': '一時停止しない',
  'page.pause.hour': '1時間',
  'page.pause.tomorrow': '明日の{$time}まで',
  'page.pause.week': '1週間',
  'page.pause.until': '指定した日時まで',
  'page.pause.end': '一時停止の終了',
  'page.pause.hint':
    '一時停止が終わるまでお知らせは保留されます。緊急のお知らせは送られ、アプリ内の受信箱にはすべて表示されます。',
  'page.pause.active': '{$until}まで一時停止中です。',
  'page.pause.active_on': '{$channels}：{$until}まで一時停止中です。',
  'page.pause.stop': '一時停止を終了する',

  'page.unsubscribe.title': '配信を停止しますか？',
  'page.unsubscribe.category': '「{$category}」に関するお知らせは、今後{$by}では届かなくなります。',
  'page.unsubscribe.channel': 'お知らせは、今後{$by}では届かなくなります。',
  'page.unsubscribe.channel_except':
    'お知らせは、今後{$by}では届かなくなります。ただし、次の種類を除きます：{$categories}。',
  'page.unsubscribe.thread':
    '「{$thread}」に関するお知らせは、直接あなた宛てのものを除き、今後届かなくなります。',
  'page.unsubscribe.confirm': '配信を停止する',
  'page.unsubscribed.title': '配信を停止しました',
  'page.unsubscribed.undo': '元に戻す、またはほかの通知設定を変更する',

  'page.required.title': 'このお知らせの配信は停止できません',
  'page.required.text': '「{$category}」に関するお知らせは必ず送られます。設定は変更されていません。',
  'page.required.change': 'ほかの通知設定を変更する',

  'page.expired.title': 'このリンクは有効期限が切れています',
  'page.expired.text': 'リンクがあった場所から、通知の設定をもう一度開いてください。',
  'page.broken.title': 'このリンクは使用できません',
  'page.broken.text':
    'アドレスの一部が欠けている可能性があります。アドレス全体をコピーするか、リンクがあった場所からもう一度開いてください。',
}
