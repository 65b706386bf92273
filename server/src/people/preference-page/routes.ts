/** /preferences/{token} and /unsubscribe/{token}: pages for people, authenticated by the signed link alone. */
import { PreferencesInput } from '@carillon/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  type PersonClaim,
  type PersonPurpose,
  readToken,
  type UnsubscribeClaim,
} from '../../content/signed-links/signed-links.ts'
import { recordChange, toAddress } from '../../oversight/audit-logs/audit-logs.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import { type Client, type Executor, transaction } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { acceptedLanguages } from '../../platform/pages/accept-headers.ts'
import { sendDocument } from '../../platform/pages/document.ts'
import { findCategory, listCatalog, listRequired } from '../categories/categories.ts'
import {
  getPreferences,
  loadChoices,
  lockPreferences,
  putPreferences,
  optOut as storeOptOut,
} from '../preferences/preferences.ts'
import type { PreferenceParts } from '../preferences/routes.ts'
import { type LinkRequest, sendBrokenLink } from './broken-link.ts'
import { followUpLink } from './follow-up.ts'
import { applyForm, viewOf } from './form.ts'
import { asSubmitted } from './form-submitted.ts'
import { noticeOf } from './invalid-form.ts'
import { type OptOut, requiredPage, unsubscribedPage, unsubscribePage } from './link-pages.ts'
import { type PreferencesPage, preferencesPage } from './page.ts'
import { loadContext } from './page-context.ts'
import type { PreferenceState } from './preference-state.ts'
import { selectPerson } from './queries.ts'

const TokenParams = z.object({ token: z.string() })
/** A form names each category on each channel twice, percent-encoded: Japanese names take ten times their length. */
const MAX_FORM_BYTES = 1024 * 1024

export function preferencePageRoutes(app: App, { pool, keyring }: PreferenceParts): void {
  const contextOf = (request: FastifyRequest, claim: PersonClaim | undefined) =>
    loadContext(pool, claim, acceptedLanguages(request.headers['accept-language']))

  async function showPreferences(
    request: FastifyRequest,
    reply: FastifyReply,
    claim: PersonClaim,
    notice: PreferencesPage['notice'],
    refused?: URLSearchParams,
  ): Promise<FastifyReply> {
    const state = await loadState(pool, claim)
    const context = await contextOf(request, claim)
    const stored = viewOf(state, Date.now())
    const view = refused === undefined ? stored : asSubmitted(stored, refused)
    return sendDocument(reply, preferencesPage({ ...context, view, stored, person: state.person, notice }))
  }

  const brokenLink = (request: LinkRequest, reply: FastifyReply, purpose: PersonPurpose) =>
    sendBrokenLink({ pool, keyring }, request, reply, purpose)

  const ownPage = (person: PersonClaim) => followUpLink(keyring, '..', person)

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
      { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
      async (_: unknown, body: string) => body,
    )

    // Show a page instead of a problem document when the link's person no longer exists.
    scope.setErrorHandler((error, request, reply) => {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error
      const purpose = request.routeOptions.url?.startsWith('/unsubscribe/') ? 'unsubscribe' : 'preferences'
      return brokenLink(request as LinkRequest, reply, purpose)
    })

    scope.get(
      '/preferences/:token',
      { config: { scope: 'public' }, schema: page('A person’s own preference page') },
      async (request, reply) => {
        const claim = readToken(keyring, 'preferences', request.params.token, Date.now())
        if (claim === undefined || claim === 'expired') return brokenLink(request, reply, 'preferences')
        const isSaved = (request.query as { saved?: string }).saved !== undefined
        return showPreferences(request, reply, claim, isSaved ? 'saved' : 'none')
      },
    )
    scope.post(
      '/preferences/:token',
      { config: { scope: 'public' }, schema: page('Saves the submitted form') },
      async (request, reply) => {
        const claim = readToken(keyring, 'preferences', request.params.token, Date.now())
        if (claim === undefined || claim === 'expired') return brokenLink(request, reply, 'preferences')
        const form = new URLSearchParams(String(request.body ?? ''))
        try {
          await changeOwn(request, claim, async tx => {
            const document = applyForm(await loadState(tx, claim), form, Date.now())
            await putPreferences(tx, claim.tenant_id, claim.user_id, PreferencesInput.parse(document))
          })
        } catch (error) {
          const notice = noticeOf(error)
          if (notice === undefined) throw error
          return showPreferences(request, reply.status(400), claim, notice, form)
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
        if (claim === undefined || claim === 'expired') return brokenLink(request, reply, 'unsubscribe')
        const context = await contextOf(request, claim)
        const { optOut, required } = await readOptOut(pool, claim)
        if (required) return sendDocument(reply, requiredPage(context, required, ownPage(claim)))
        return sendDocument(reply, unsubscribePage(context, optOut))
      },
    )
    scope.post(
      '/unsubscribe/:token',
      { config: { scope: 'public' }, schema: page('Unsubscribes with one click (RFC 8058)') },
      async (request, reply) => {
        const claim = readToken(keyring, 'unsubscribe', request.params.token, Date.now())
        if (claim === undefined || claim === 'expired') return brokenLink(request, reply, 'unsubscribe')
        const { tenant_id, user_id, channel, category } = claim
        const { optOut, required } = await readOptOut(pool, claim)
        if (required) {
          const page = requiredPage(await contextOf(request, claim), required, ownPage(claim))
          return sendDocument(reply.status(409), page)
        }
        await changeOwn(request, claim, tx => storeOptOut(tx, tenant_id, user_id, channel, category))
        return sendDocument(reply, unsubscribedPage(await contextOf(request, claim), optOut, ownPage(claim)))
      },
    )
  })
}

/** What the link ends; `required` if that has become a category since which nobody can leave. */
async function readOptOut(
  db: Executor,
  { tenant_id, channel, category }: UnsubscribeClaim,
): Promise<{ optOut: OptOut; required?: NonNullable<OptOut['category']> }> {
  if (category === '')
    return { optOut: { channel, category: undefined, alwaysSent: await listRequired(db, tenant_id) } }
  const found = await findCategory(db, tenant_id, category)
  const optOut = { channel, category: found ?? { category, name: '' }, alwaysSent: [] }
  return found?.required ? { optOut, required: found } : { optOut }
}

async function loadState(
  db: Executor,
  { tenant_id, user_id }: PersonClaim,
): Promise<PreferenceState & { person: string }> {
  const person = await selectPerson(db, tenant_id, user_id)
  if (person === undefined) throw new Refusal('not_found', 'The person no longer exists.')
  const { own, defaults } = await loadChoices(db, tenant_id, user_id)
  const rows = await listCatalog(db, tenant_id)
  return {
    own,
    defaults,
    categories: rows.filter(({ category }) => category !== ''),
    channels: rows.flatMap(({ channels }) => channels),
    timezone: person.timezone,
    person: person.email ?? person.id,
  }
}

function page(summary: string) {
  return { hide: true, summary, params: TokenParams }
}
