/** Says why a link does not open anything: it is old, its person is gone, or we never signed it. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type PersonPurpose, readToken } from '../../content/signed-links/signed-links.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { acceptedLanguages } from '../../platform/pages/accept-headers.ts'
import { sendDocument } from '../../platform/pages/document.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { brokenLinkPage } from './link-pages.ts'
import { loadContext } from './page-context.ts'

export type LinkRequest = FastifyRequest<{ Params: { token: string } }>

export async function sendBrokenLink(
  { pool, keyring }: { pool: Pool; keyring: Keyring },
  request: LinkRequest,
  reply: FastifyReply,
  purpose: PersonPurpose,
): Promise<FastifyReply> {
  const now = Date.now()
  // An expired link still tells whose it was.
  const claim = readToken(keyring, purpose, request.params.token, Number.NEGATIVE_INFINITY)
  const signed = claim === 'expired' ? undefined : claim
  const isExpired = signed !== undefined && signed.expires * 1000 <= now
  const context = await loadContext(pool, signed, acceptedLanguages(request.headers['accept-language']))
  const page = brokenLinkPage(context, isExpired ? 'expired' : 'broken')
  return sendDocument(reply.status(isExpired ? 410 : 400), page)
}
