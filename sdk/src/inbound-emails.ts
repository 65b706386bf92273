/** Inbound emails: mails that a mail server passes on, for triggers of the kind email. */
import type { InboundEmailAnswer } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'

export function createInboundEmails(send: Send) {
  return {
    /** `to` are the recipients of the envelope; without them, those that the mail itself names. */
    async receive(
      raw: string,
      { to }: { to?: string[] } = {},
      options?: CallOptions,
    ): Promise<InboundEmailAnswer> {
      return send({ method: 'POST', path: '/v1/inbound-emails', query: { to }, body: { raw }, ...options })
    },
  }
}
