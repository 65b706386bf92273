/**
 * The templates of routes, ready to fill in. Versions never change, so a parsed one is kept; those of a claimed batch
 * that are not are read with one query. What may change without a new version (is it active, is another used instead,
 * branding, translations) is remembered for a second.
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
import { createTranslate, type Translate } from '../translations/messages.ts'
import { type LoadedCatalogs, loadCatalogs } from '../translations/translations.ts'
import type { Compiled } from './compile.ts'
import { type CompiledRow, selectCompiled, selectExceptions } from './queries.ts'
import { prepare, type ReadyTemplate, RenderFailure, renderTemplate } from './render.ts'
import { createTurns } from './turns.ts'

/** What a template may show of a route. */
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
  /** The tenant's own messages, for what no template says. */
  translateFor(route: Pick<TemplateRoute, 'tenant_id' | 'resolved_locale'>): Promise<Translate>
}

interface Kept {
  row: Omit<CompiledRow<Compiled>, 'compiled'>
  /** Or why this version of Carillon cannot use it. */
  ready: ReadyTemplate | Error
  /** The fields of the payload it declares. */
  reads: string[]
  size: number
}

/** The tenant's present state. */
interface Present {
  inactive: Set<string>
  replaced: Record<string, string>
  branding: BrandingVariables
  catalogs: LoadedCatalogs
}

/** Characters of Liquid; parsed they take about ten times as many bytes. */
const MOST_KEPT = 10_000_000
const HINT =
  'Correct the payload, or publish a corrected template with replace_waiting, then replay. Without either it fails again.'

export interface DirectoryOptions {
  pool: Pool
  rememberMs?: number
  now?: () => number
}

export function createTemplateDirectory(options: DirectoryOptions): TemplateDirectory {
  const { pool, rememberMs = 1000, now = Date.now } = options
  const versions = new Map<string, Kept>()
  const presents = createMemory<Present>({ forMs: rememberMs, now })
  const inTurn = createTurns()
  let kept = 0

  const loader = createBatcher<string, Kept | undefined>({
    maxBatch: 500,
    flush: async ids => {
      const missing = [...new Set(ids)].filter(id => !versions.has(id))
      const rows = missing.length === 0 ? [] : await selectCompiled<Compiled>(pool, missing)
      for (const row of rows) keep(row)
      return ids.map(id => versions.get(id))
    },
  })

  function keep({ compiled, ...row }: CompiledRow<Compiled>): void {
    const size = JSON.stringify(compiled).length
    const reads = row.variables.map(({ name }) => name)
    versions.set(row.id, { row, ready: tryToPrepare(row, compiled), reads, size })
    kept += size
    for (const [id, entry] of versions) {
      if (kept <= MOST_KEPT || id === row.id) break
      versions.delete(id)
      kept -= entry.size
    }
  }

  const presentOf = (tenantId: string) => presents.get(tenantId, before => load(tenantId, before))

  async function load(tenantId: string, before: Present | undefined): Promise<Present> {
    const [exceptions, branding, catalogs] = await Promise.all([
      selectExceptions(pool, tenantId),
      getBranding(pool, tenantId),
      loadCatalogs(pool, tenantId, before?.catalogs),
    ])
    return {
      inactive: new Set(exceptions.inactive),
      replaced: exceptions.replaced,
      branding: brandingVariables(branding),
      catalogs,
    }
  }

  return {
    async fillTemplate(route, payload, links = null) {
      if (route.template_version_id === null) return undefined
      const present = await presentOf(route.tenant_id)
      const id = present.replaced[route.template_version_id] ?? route.template_version_id
      const found = versions.get(id) ?? (await loader.add(id))
      if (found === undefined || found.row.tenant_id !== route.tenant_id)
        return {
          kind: 'permanent',
          message: 'The template version it was accepted with is gone.',
          hint: HINT,
        }
      if (present.inactive.has(found.row.template_id))
        return { kind: 'permanent', message: `${titleOf(found)} is not active.`, hint: HINT }
      return inTurn(() => fillIn(found, route, payload, links, present))
    },
    async translateFor(route) {
      const { catalogs } = await presentOf(route.tenant_id)
      return createTranslate(catalogs, route.resolved_locale)
    },
  }
}

/** One that cannot be parsed must not take the rest of its batch with it. */
function tryToPrepare(row: Omit<CompiledRow, 'compiled'>, compiled: Compiled): ReadyTemplate | Error {
  try {
    return prepare(row.channel, row.variables, compiled)
  } catch (error) {
    return new RenderFailure(describeMistake(toMistake(error)))
  }
}

function fillIn(
  found: Kept,
  route: TemplateRoute,
  payload: Payload,
  links: MailLinks | null,
  { branding, catalogs }: Present,
): ContentResult {
  const { reads } = found
  try {
    if (found.ready instanceof Error) throw found.ready
    const locale = route.resolved_locale
    const timezone = knownZone(route.timezone)
    const content = renderTemplate(found.ready, payload, {
      branding,
      recipient: { id: route.user_id, address: route.resolved_address, locale, timezone },
      notification: { id: route.notification_id, type: route.notification_type },
      links,
      translate: createTranslate(catalogs, locale, timezone),
    })
    return { kind: 'content', content, reads }
  } catch (error) {
    if (!(error instanceof RenderFailure)) throw error
    const message = `${titleOf(found)} cannot be rendered: ${error.message}.`
    return { kind: error.isTimeout ? 'retry' : 'permanent', message, hint: HINT, reads }
  }
}

const titleOf = ({ row }: Kept): string =>
  `The template "${row.name}" (${row.channel}, ${row.locale}, version ${row.version})`
