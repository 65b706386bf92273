/**
 * The templates of routes, ready to fill in. Versions never change, so they are cached once parsed; the versions of a
 * claimed batch that are not cached yet are read with one query. What may change without a new version (is the template
 * active, has the version been replaced, branding, translations) is remembered for a second.
 */
import type { Pool } from '../../platform/database/pool.ts'
import { createMemory } from '../../platform/memory/remember.ts'
import { createBatcher } from '../../platform/queue/batcher.ts'
import { knownZone } from '../../platform/time/local-time.ts'
import { type BrandingVariables, brandingVariables, getBranding } from '../branding/branding.ts'
import { describeMistake, toMistake } from '../liquid/mistake.ts'
import type { ContentResult } from '../messages/content-result.ts'
import type { MailLinks } from '../messages/mail-links.ts'
import type { MessageRoute, Payload } from '../messages/message-route.ts'
import type { PlainContent } from '../messages/plain-content.ts'
import { loadPlainMail } from '../template-parts/published-layout.ts'
import { createTranslate, type Translate } from '../translations/messages.ts'
import { type LoadedCatalogs, loadCatalogs } from '../translations/translations.ts'
import type { Compiled, CompiledText } from './compile.ts'
import { builtInPlainMail, layOutMail, preparePlainMail, withFallbacks } from './plain-mail.ts'
import { type CompiledRow, selectCompiled, selectInactiveAndReplaced } from './queries.ts'
import {
  prepare,
  type ReadyTemplate,
  type ReadyText,
  type RenderContext,
  RenderFailure,
  renderTemplate,
} from './render.ts'
import { createTimeSlicer } from './time-slices.ts'

/** What a template may show about a route. */
export type TemplateRoute = Pick<
  MessageRoute,
  | 'tenant_id'
  | 'notification_id'
  | 'notification_type'
  | 'user_id'
  | 'resolved_address'
  | 'resolved_locale'
  | 'timezone'
  | 'template_version_id'
>

export interface TemplateDirectory {
  /** undefined: the route has no template. */
  fillTemplate(
    route: TemplateRoute,
    payload: Payload,
    links?: MailLinks | null,
  ): Promise<ContentResult | undefined>
  /** The HTML of a mail without a template, in the tenant's published layout `default` or the built-in one. */
  layOut(route: TemplateRoute, content: PlainContent, links: MailLinks | null): Promise<string>
  /** The tenant's translations, for texts that no template provides. */
  translateFor(route: Pick<TemplateRoute, 'tenant_id' | 'resolved_locale'>): Promise<Translate>
}

type VersionKey = Pick<CompiledRow, 'tenant_id' | 'id'>

const nameOf = ({ tenant_id, id }: VersionKey): string => `${tenant_id}/${id}`

interface CachedVersion {
  row: Omit<CompiledRow<Compiled>, 'compiled'>
  /** Or why it cannot be used by this version of Carillon. */
  ready: ReadyTemplate | Error
  /** The payload fields that it declares. */
  declaredFields: string[]
  characters: number
}

/** What may change without a new version of a template. */
interface TenantState {
  inactiveTemplates: Set<string>
  /** Version → the version to use instead. */
  replacements: Record<string, string>
  branding: BrandingVariables
  catalogs: LoadedCatalogs
}

/** The mail without a template in a tenant's own layout; null if it has none. */
type OwnPlainMail = { publishedAt: Date; ready: ReadyText } | null

/** Once parsed, Liquid takes about ten times as many bytes as it has characters. */
const MAX_CACHED_CHARACTERS = 10_000_000
const HINT =
  'Correct the payload, or publish a corrected template with replace_waiting, then replay. Otherwise it will fail again.'

export interface DirectoryOptions {
  pool: Pool
  rememberMs?: number
  now?: () => number
}

export function createTemplateDirectory(options: DirectoryOptions): TemplateDirectory {
  const { pool, rememberMs = 1000, now = Date.now } = options
  const versions = new Map<string, CachedVersion>()
  const tenantStates = createMemory<TenantState>({ forMs: rememberMs, now })
  const plainMails = createMemory<OwnPlainMail>({ forMs: rememberMs, now })
  const runInSlice = createTimeSlicer()
  let cachedCharacters = 0

  const loader = createBatcher<VersionKey, CachedVersion | undefined>({
    maxBatch: 500,
    flush: async keys => {
      const missing = new Map(keys.map(key => [nameOf(key), key] as const))
      for (const name of missing.keys()) if (versions.has(name)) missing.delete(name)
      const rows = missing.size === 0 ? [] : await selectCompiled<Compiled>(pool, [...missing.values()])
      for (const row of rows) cache(row)
      return keys.map(key => versions.get(nameOf(key)))
    },
  })

  function cache({ compiled, ...row }: CompiledRow<Compiled>): void {
    const characters = JSON.stringify(compiled).length
    const declaredFields = row.variables.map(({ name }) => name)
    versions.set(nameOf(row), { row, ready: tryToPrepare(row, compiled), declaredFields, characters })
    cachedCharacters += characters
    for (const [name, entry] of versions) {
      if (cachedCharacters <= MAX_CACHED_CHARACTERS || name === nameOf(row)) break
      versions.delete(name)
      cachedCharacters -= entry.characters
    }
  }

  const tenantStateOf = (tenantId: string) => tenantStates.get(tenantId, before => load(tenantId, before))

  async function load(tenantId: string, before: TenantState | undefined): Promise<TenantState> {
    const [{ inactive, replaced }, branding, catalogs] = await Promise.all([
      selectInactiveAndReplaced(pool, tenantId),
      getBranding(pool, tenantId),
      loadCatalogs(pool, tenantId, before?.catalogs),
    ])
    return {
      inactiveTemplates: new Set(inactive),
      replacements: replaced,
      branding: brandingVariables(branding),
      catalogs,
    }
  }

  const plainMailOf = (tenantId: string) =>
    plainMails.get(tenantId, async (before = null) => {
      const row = await loadPlainMail<CompiledText>(pool, tenantId, before?.publishedAt)
      if (row === undefined) return null
      if (row.plain_mail === null) return before
      return { publishedAt: row.published_at, ready: preparePlainMail(row.plain_mail) }
    })

  return {
    async fillTemplate(route, payload, links = null) {
      if (route.template_version_id === null) return undefined
      const state = await tenantStateOf(route.tenant_id)
      const id = state.replacements[route.template_version_id] ?? route.template_version_id
      const key = { tenant_id: route.tenant_id, id }
      const found = versions.get(nameOf(key)) ?? (await loader.add(key))
      if (found === undefined)
        return {
          kind: 'permanent',
          message: 'The template version it was accepted with no longer exists.',
          hint: HINT,
        }
      if (state.inactiveTemplates.has(found.row.template_id))
        return { kind: 'permanent', message: `${describeVersion(found)} is not active.`, hint: HINT }
      return runInSlice(() => fillIn(found, route, payload, links, state))
    },
    async layOut(route, content, links) {
      const { tenant_id } = route
      const [state, own, builtIn] = await Promise.all([
        tenantStateOf(tenant_id),
        plainMailOf(tenant_id),
        builtInPlainMail(),
      ])
      const context = contextOf(route, links, state)
      const translate = withFallbacks(context.translate, links)
      return runInSlice(() => layOutMail(own?.ready ?? null, builtIn, content, { ...context, translate }))
    },
    async translateFor(route) {
      const { catalogs } = await tenantStateOf(route.tenant_id)
      return createTranslate(catalogs, route.resolved_locale)
    },
  }
}

/** A version that cannot be parsed must not make the rest of its batch fail. */
function tryToPrepare(row: Omit<CompiledRow, 'compiled'>, compiled: Compiled): ReadyTemplate | Error {
  try {
    return prepare(row.channel, row.variables, compiled)
  } catch (error) {
    return new RenderFailure(describeMistake(toMistake(error)))
  }
}

function fillIn(
  found: CachedVersion,
  route: TemplateRoute,
  payload: Payload,
  links: MailLinks | null,
  state: TenantState,
): ContentResult {
  const { declaredFields } = found
  try {
    if (found.ready instanceof Error) throw found.ready
    const content = renderTemplate(found.ready, payload, contextOf(route, links, state))
    return { kind: 'content', content, declaredFields }
  } catch (error) {
    if (!(error instanceof RenderFailure)) throw error
    const message = `${describeVersion(found)} cannot be rendered: ${error.message}.`
    return { kind: error.isTimeout ? 'retry' : 'permanent', message, hint: HINT, declaredFields }
  }
}

function contextOf(
  route: TemplateRoute,
  links: MailLinks | null,
  { branding, catalogs }: TenantState,
): RenderContext {
  const locale = route.resolved_locale
  const timezone = knownZone(route.timezone)
  return {
    branding,
    recipient: { id: route.user_id, address: route.resolved_address, locale, timezone },
    notification: { id: route.notification_id, type: route.notification_type },
    links,
    translate: createTranslate(catalogs, locale, timezone),
  }
}

const describeVersion = ({ row }: CachedVersion): string =>
  `The template "${row.name}" (${row.channel}, ${row.locale}, version ${row.version})`
