/** /preferences/{token} and /unsubscribe/{token}: pages for people, authenticated by the signed link alone. */
import { Preferences } from '@carillon/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type PersonClaim, preferencePageLink, readToken } from '../../content/signed-links/signed-links.ts'
import { recordChange, toAddress } from '../../oversight/audit-logs/audit-logs.ts'
import { FIRST_TENANT } from '../../oversight/tenants/tenants.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import { type Client, type Executor, transaction } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import {
  getPreferences,
  loadChoices,
  lockPreferences,
  optOut,
  putPreferences,
} from '../preferences/preferences.ts'
import type { PreferenceParts } from '../preferences/routes.ts'
import { applyForm, viewOf } from './form.ts'
import {
  brokenLinkPage,
  describeOptOut,
  PAGE_POLICY,
  preferencesPage,
  unsubscribedPage,
  unsubscribePage,
} from './page.ts'
import type { PreferenceState } from './preference-state.ts'
import { selectCategories, selectPerson } from './queries.ts'

const TokenParams = z.object({ token: z.string() })
/** How long the preference page can be opened from the page that confirms an unsubscribe. */
const FOLLOW_UP_LINK_MS = 60 * 60 * 1000

export function preferencePageRoutes(app: App, { pool, keyring }: PreferenceParts): void {
  async function loadState(
    db: Executor,
    { tenant_id, user_id }: PersonClaim,
  ): Promise<PreferenceState & { person: string; sender: string }> {
    const person = await selectPerson(db, tenant_id, user_id)
    if (person === undefined) throw new Refusal('not_found', 'The person no longer exists.')
    const { own, defaults } = await loadChoices(db, tenant_id, user_id)
    const categories = await selectCategories(db, tenant_id)
    const sender = person.tenant === FIRST_TENANT ? 'we' : person.tenant
    return { own, defaults, categories, timezone: person.timezone, person: person.email ?? person.id, sender }
  }

  /** Whoever has the link counts as the person: the audit log names that user, and no API key. */
  async function changeOwn(
    request: FastifyRequest,
    { tenant_id, user_id }: PersonClaim,
    change: (tx: Client) => Promise<unknown>,
  ): Promise<void> {
    request.isAudited = true
    await transaction(pool, async tx => {
      await lockPreferences(tx, tenant_id, user_id)
      const before = await getPreferences(tx, tenant_id, user_id)
      await change(tx)
      await recordChange(tx, tenant_id, {
        user_id,
        ip_address: toAddress(request.ip),
        user_agent: request.headers['user-agent'] ?? null,
        request_id: request.id,
        type: 'preferences',
        id: user_id,
        action: 'update',
        before,
        after: await getPreferences(tx, tenant_id, user_id),
      })
    })
  }

  void app.register(async plain => {
    const scope = plain as unknown as App
    // Forms from browsers, and whatever a mail program sends for one-click unsubscribe.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: 64 * 1024 },
      async (_: unknown, body: string) => body,
    )

    // Show a page instead of a problem document when the link's person no longer exists.
    scope.setErrorHandler((error, _request, reply) => {
      if (error instanceof Refusal && error.code === 'not_found') return brokenLink(reply, undefined)
      throw error
    })

    scope.get(
      '/preferences/:token',
      { config: { scope: 'public' }, schema: page('A person’s own preference page') },
      async (request, reply) => {
        const claim = readToken(keyring, 'preferences', request.params.token, Date.now())
        if (claim === undefined || claim === 'expired') return brokenLink(reply, claim)
        const state = await loadState(pool, claim)
        const isSaved = (request.query as { saved?: string }).saved !== undefined
        const notice = isSaved ? 'saved' : 'none'
        return answer(reply, preferencesPage({ ...state, view: viewOf(state), notice }))
      },
    )
    scope.post(
      '/preferences/:token',
      { config: { scope: 'public' }, schema: page('Saves the submitted form') },
      async (request, reply) => {
        const claim = readToken(keyring, 'preferences', request.params.token, Date.now())
        if (claim === undefined || claim === 'expired') return brokenLink(reply, claim)
        const form = new URLSearchParams(String(request.body ?? ''))
        try {
          await changeOwn(request, claim, async tx => {
            const document = Preferences.parse(applyForm(await loadState(tx, claim), form))
            await putPreferences(tx, claim.tenant_id, claim.user_id, document)
          })
        } catch (error) {
          if (!(error instanceof z.ZodError)) throw error
          const state = await loadState(pool, claim)
          const shown = { ...state, view: viewOf(state), notice: 'invalid' } as const
          return answer(reply.status(400), preferencesPage(shown))
        }
        // Relative, since a proxy may serve the page under another path; a redirect, so that reloading submits nothing.
        return reply.header('location', '?saved=1').status(303).send()
      },
    )
    scope.get(
      '/unsubscribe/:token',
      // Changes nothing, since mail scanners follow links.
      { config: { scope: 'public' }, schema: page('Asks for confirmation before unsubscribing') },
      async (request, reply) => {
        const claim = readToken(keyring, 'unsubscribe', request.params.token, Date.now())
        if (claim === undefined || claim === 'expired') return brokenLink(reply, claim)
        return answer(reply, unsubscribePage(describeOptOut(claim.channel, claim.category)))
      },
    )
    scope.post(
      '/unsubscribe/:token',
      { config: { scope: 'public' }, schema: page('Unsubscribes with one click (RFC 8058)') },
      async (request, reply) => {
        const claim = readToken(keyring, 'unsubscribe', request.params.token, Date.now())
        if (claim === undefined || claim === 'expired') return brokenLink(reply, claim)
        const { tenant_id, user_id, channel, category } = claim
        await changeOwn(request, claim, tx => optOut(tx, tenant_id, user_id, channel, category))
        const expiresAt = new Date(Date.now() + FOLLOW_UP_LINK_MS)
        const preferencesUrl = preferencePageLink(keyring, '..', { tenant_id, user_id }, expiresAt)
        return answer(reply, unsubscribedPage(describeOptOut(channel, category), preferencesUrl))
      },
    )
  })
}

function page(summary: string) {
  return { hide: true, summary, params: TokenParams }
}

function answer(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .header('content-security-policy', PAGE_POLICY)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(html)
}

function brokenLink(reply: FastifyReply, problem: 'expired' | undefined): FastifyReply {
  return answer(reply.status(problem === 'expired' ? 410 : 400), brokenLinkPage(problem === 'expired'))
}
