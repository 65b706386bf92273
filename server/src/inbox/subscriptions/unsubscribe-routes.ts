/** /unsubscribe/thread/{token}: leaving a thread by the link in a mail about it, without signing in. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readToken, type ThreadClaim } from '../../content/signed-links/signed-links.ts'
import { recordChange, toAddress } from '../../oversight/audit-logs/audit-logs.ts'
import { type LinkRequest, sendBrokenLink } from '../../people/preference-page/broken-link.ts'
import { followUpLink } from '../../people/preference-page/follow-up.ts'
import { unsubscribedPage, unsubscribePage } from '../../people/preference-page/link-pages.ts'
import { loadContext } from '../../people/preference-page/page-context.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import { type Pool, transaction } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { acceptedLanguages } from '../../platform/pages/accept-headers.ts'
import { sendDocument } from '../../platform/pages/document.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { ensureThread, findThread } from '../threads/threads.ts'
import { selectSubscription, type ThreadKey } from './queries.ts'
import { auditId, chooseSubscription, toSubscription } from './subscriptions.ts'

const TokenParams = z.object({ token: z.string() })
const MAX_FORM_BYTES = 64 * 1024

export function threadUnsubscribeRoutes(app: App, parts: { pool: Pool; keyring: Keyring }): void {
  const { pool, keyring } = parts
  const contextOf = (request: FastifyRequest, claim: ThreadClaim) =>
    loadContext(pool, claim, acceptedLanguages(request.headers['accept-language']))

  const claimOf = (token: string): ThreadClaim | undefined => {
    const claim = readToken(keyring, 'thread', token, Date.now())
    return claim === 'expired' ? undefined : claim
  }

  void app.register(async plain => {
    const scope = plain as unknown as App
    // Whatever a mail program sends for one-click unsubscribe.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
      async (_: unknown, body: string) => body,
    )
    scope.setErrorHandler((error, request, reply) => {
      // The link's person no longer exists.
      if (!(error instanceof Refusal) || !['not_found', 'recipient_not_found'].includes(error.code))
        throw error
      return sendBrokenLink(parts, request as LinkRequest, reply as FastifyReply, 'thread')
    })

    scope.get(
      '/unsubscribe/thread/:token',
      // Changes nothing, since mail scanners follow links.
      { config: { scope: 'public' }, schema: page('Asks for confirmation before leaving a thread') },
      async (request, reply) => {
        const claim = claimOf(request.params.token)
        if (claim === undefined) return sendBrokenLink(parts, request, reply, 'thread')
        const thread = await nameOf(pool, claim)
        return sendDocument(reply, unsubscribePage(await contextOf(request, claim), { thread }))
      },
    )
    scope.post(
      '/unsubscribe/thread/:token',
      { config: { scope: 'public' }, schema: page('Leaves a thread with one click (RFC 8058)') },
      async (request, reply) => {
        const claim = claimOf(request.params.token)
        if (claim === undefined) return sendBrokenLink(parts, request, reply, 'thread')
        await leave(pool, request, claim)
        const thread = await nameOf(pool, claim)
        const next = followUpLink(keyring, '../..', claim)
        return sendDocument(reply, unsubscribedPage(await contextOf(request, claim), { thread }, next))
      },
    )
  })
}

/** Whoever has the link counts as the person: the audit log names that user, and no API key. */
async function leave(pool: Pool, request: FastifyRequest, claim: ThreadClaim): Promise<void> {
  const { tenant_id, user_id, thread_kind, thread_id } = claim
  const thread: ThreadKey = [thread_kind, thread_id]
  request.isAudited = true
  await transaction(pool, async tx => {
    // An intent may be about a thread that nothing else has told us of.
    await ensureThread(tx, tenant_id, thread_kind, thread_id)
    const before = await selectSubscription(tx, tenant_id, thread, user_id)
    const choice = { subscribed: false, reason: 'email_one_click' } as const
    const after = await chooseSubscription(tx, tenant_id, thread, user_id, choice, async () => true)
    await recordChange(tx, tenant_id, {
      user_id,
      ip_address: toAddress(request.ip),
      user_agent: request.headers['user-agent'] ?? null,
      request_id: request.id,
      type: 'subscription',
      id: auditId(thread, user_id),
      action: undefined,
      before: before && toSubscription(before),
      after,
    })
  })
}

async function nameOf(pool: Pool, { tenant_id, thread_kind, thread_id }: ThreadClaim): Promise<string> {
  const title = (await findThread(pool, tenant_id, thread_kind, thread_id))?.title ?? ''
  return title === '' ? `${thread_kind} ${thread_id}` : title
}

function page(summary: string) {
  return { hide: true, summary, params: TokenParams }
}
