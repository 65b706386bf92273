/** Every kind of provider that Carillon knows. A new one needs a file and a line here. */
import { discord } from './chat/discord.ts'
import { slack } from './chat/slack.ts'
import { teams } from './chat/teams.ts'
import { telegram } from './chat/telegram.ts'
import { mailgun } from './email/mailgun.ts'
import { postmark } from './email/postmark.ts'
import { resend } from './email/resend.ts'
import { sendgrid } from './email/sendgrid.ts'
import { ses } from './email/ses.ts'
import { smtpKind } from './email/smtp-kind.ts'
import { http } from './http.ts'
import type { ProviderKind } from './kind.ts'
import { apns } from './push/apns.ts'
import { expo } from './push/expo.ts'
import { fcm } from './push/fcm.ts'
import { webPush } from './push/web-push.ts'
import { bird } from './sms/bird.ts'
import { twilio } from './sms/twilio.ts'
import { vonage } from './sms/vonage.ts'

export const PROVIDER_KINDS: ProviderKind[] = [
  apns,
  bird,
  discord,
  expo,
  fcm,
  http,
  mailgun,
  postmark,
  resend,
  sendgrid,
  ses,
  slack,
  smtpKind,
  teams,
  telegram,
  twilio,
  vonage,
  webPush,
]

export function kindNamed(name: string): ProviderKind | undefined {
  return PROVIDER_KINDS.find(kind => kind.name === name)
}
