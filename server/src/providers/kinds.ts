/** Every kind of provider Carillon knows. A new one is a file and a line here. */
import { mailgun } from './email/mailgun.ts'
import { postmark } from './email/postmark.ts'
import { resend } from './email/resend.ts'
import { sendgrid } from './email/sendgrid.ts'
import { ses } from './email/ses.ts'
import { smtpKind } from './email/smtp-kind.ts'
import type { ProviderKind } from './kind.ts'

export const PROVIDER_KINDS: ProviderKind[] = [mailgun, postmark, resend, sendgrid, ses, smtpKind]

export function kindNamed(name: string): ProviderKind | undefined {
  return PROVIDER_KINDS.find(kind => kind.name === name)
}
