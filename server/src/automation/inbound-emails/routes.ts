/** POST /v1/inbound-emails: where a mail server passes on what it received. */
import type { IncomingHttpHeaders } from 'node:http'
import {
  InboundEmail,
  InboundEmailAnswer,
  InboundEmailQuery,
  MAX_INBOUND_EMAIL_BYTES,
} from '@carillon/contract'
import type { ReplyParts } from '../../events/replies/replies.ts'
import { originOf } from '../../platform/calls/principal.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { App } from '../../platform/http/server.ts'
import { receiveMail } from './inbound-emails.ts'
import { createMailReader } from './mail-reader.ts'

interface InboundEmailParts extends ReplyParts {
  onDue: () => void
}

const MIME = 'message/rfc822'

export function inboundEmailRoutes(app: App, parts: InboundEmailParts): void {
  const reader = createMailReader()

  void app.register(async plain => {
    const scope = plain as unknown as App
    // Each byte is a character of its own, so that none is lost: mails may be in any encoding.
    scope.addContentTypeParser(MIME, { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => ({
      raw: body.toString('latin1'),
    }))
    scope.post(
      '/v1/inbound-emails',
      {
        // JSON has two characters for each line break.
        bodyLimit: MAX_INBOUND_EMAIL_BYTES * 1.5,
        config: {
          scope: 'inbound_emails:write',
          unaudited: 'an event comes in; what scripts make of it is in their runs',
        },
        schema: {
          tags: ['triggers'],
          summary: `Pass on a mail to the triggers of its recipients, or to the thread that it answers: as JSON, or as it is (${MIME})`,
          querystring: InboundEmailQuery,
          body: InboundEmail,
          response: { 202: InboundEmailAnswer },
        },
      },
      async (request, reply) => {
        const { tenant_id } = request.principal
        const mail = await reader.read(tenant_id, bytesOf(request))
        const answer = await receiveMail(parts, tenant_id, {
          mail,
          envelope: [request.query.to ?? []].flat(),
          origin: originOf(request.principal),
        })
        if (answer.matched > 0) parts.onDue()
        return reply.status(202).send(answer)
      },
    )
  })
}

function bytesOf({ headers, body }: { headers: IncomingHttpHeaders; body: InboundEmail }): Buffer {
  const isMime = headers['content-type']?.toLowerCase().startsWith(MIME)
  const raw = Buffer.from(body.raw, isMime ? 'latin1' : 'utf8')
  if (raw.length <= MAX_INBOUND_EMAIL_BYTES) return raw
  throw new Refusal('payload_too_large', `A mail may have at most ${MAX_INBOUND_EMAIL_BYTES} bytes.`)
}
