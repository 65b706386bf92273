/** Renders the messages of claimed routes in its own process: with the product's code, or their texts with plain LiquidJS. */
import { performance } from 'node:perf_hooks'
import { brandingVariables, getBranding } from '../../../server/dist/content/branding/branding.js'
import { sampleLinks } from '../../../server/dist/content/messages/mail-links.js'
import type { Compiled } from '../../../server/dist/content/templates/compile.js'
import { createTemplateDirectory } from '../../../server/dist/content/templates/directory.js'
import { selectCompiled } from '../../../server/dist/content/templates/queries.js'
import { renderRoute } from '../../../server/dist/delivery/attempts/render.js'
import { type ClaimedRoute, claimRoutes, findNewLanes } from '../../../server/dist/delivery/routes/claim.js'
import { createPool } from '../../../server/dist/platform/database/pool.js'
import { serveParent } from '../child.ts'
import { parseRaw } from './raw-liquid.ts'

export type Variant = 'mail' | 'raw mail' | 'text' | 'raw text' | 'without template'

export interface Order {
  variant: Variant
  count: number
}

export interface Rendered {
  seconds: number
  cpu_seconds: number
}

/** As many as a worker handles at once. */
const CONCURRENCY = 500
const LINKS = sampleLinks('https://carillon.example.com')

await serveParent(async ({ databaseUrl }: { databaseUrl: string }) => {
  const pool = createPool(databaseUrl)
  const { fillTemplate, layOut } = createTemplateDirectory({ pool })
  const lanes = (await findNewLanes(pool, [])).filter(
    ({ channel }) => channel === 'email' || channel === 'sms',
  )
  const demand = lanes.map(lane => ({ ...lane, free: 1000, watermark: null }))
  const routes = await claimRoutes(pool, demand, 2000, 'bench', 3600)
  const ofKind = (channel: string, hasTemplate: boolean) =>
    routes.filter(route => route.channel === channel && (route.template_version_id !== null) === hasTemplate)

  async function byProduct(route: ClaimedRoute): Promise<string> {
    const rendered = await renderRoute(route, route.payload_json, {
      fillTemplate,
      layOut,
      completeOptions: async () => undefined,
      links: () => LINKS,
    })
    if (rendered.kind !== 'message') throw new Error(rendered.message)
    const { subject, html, text } = rendered.message
    return [subject, html, text].filter(part => part !== null && part !== '').join('\n')
  }

  async function byLiquid([first]: ClaimedRoute[]): Promise<(route: ClaimedRoute) => Promise<string>> {
    const { tenant_id, template_version_id } = first!
    const [version] = await selectCompiled<Compiled>(pool, [{ tenant_id, id: template_version_id! }])
    const raw = parseRaw(version!.compiled)
    const branding = brandingVariables(await getBranding(pool, tenant_id))
    return async route => {
      const recipient = { locale: route.resolved_locale, direction: 'ltr' }
      return raw.render(JSON.parse(route.payload_json), { branding, recipient, links: LINKS, subject: '' })
    }
  }

  const [mails, texts, plain] = [ofKind('email', true), ofKind('sms', true), ofKind('email', false)]
  const work: Record<Variant, [ClaimedRoute[], (route: ClaimedRoute) => Promise<string>]> = {
    mail: [mails, byProduct],
    'raw mail': [mails, await byLiquid(mails)],
    text: [texts, byProduct],
    'raw text': [texts, await byLiquid(texts)],
    'without template': [plain, byProduct],
  }
  await expectSameLength(work)

  return {
    async answer({ variant, count }: Order): Promise<Rendered> {
      const [routes, render] = work[variant]
      const before = process.cpuUsage()
      const start = performance.now()
      for (let done = 0; done < count; done += CONCURRENCY)
        await Promise.all(
          Array.from({ length: Math.min(CONCURRENCY, count - done) }, (_, i) =>
            render(routes[(done + i) % routes.length]!),
          ),
        )
      const { user, system } = process.cpuUsage(before)
      return { seconds: (performance.now() - start) / 1000, cpu_seconds: (user + system) / 1e6 }
    },
    stop: () => pool.end(),
  }
})

/** Both must render the same texts to be comparable. White space may differ: the product tidies texts. */
async function expectSameLength(
  work: Record<Variant, [ClaimedRoute[], (route: ClaimedRoute) => Promise<string>]>,
): Promise<void> {
  const sizeOf = async (variant: Variant) => {
    const [[route], render] = work[variant]
    return (await render(route!)).replace(/\s+/g, '').length
  }
  for (const kind of ['mail', 'text'] as const) {
    const [product, raw] = [await sizeOf(kind), await sizeOf(`raw ${kind}`)]
    if (Math.abs(product - raw) > product / 20)
      throw new Error(`The ${kind} has ${product} characters, by plain LiquidJS ${raw}.`)
  }
}
