/**
 * What it costs to make a message: from a template for a mail, from one for a short text, and from the payload alone;
 * beside LiquidJS alone with the same texts. By processor time, as rendering waits for nothing else.
 */
import { startChild } from '../child.ts'
import { type Benchmark, compare } from '../result.ts'
import { formatRate, measureRounds } from '../rounds.ts'
import { PAYLOAD, prepareTenant } from '../tenant.ts'
import { NAME, ORDER, publishOrderTemplates } from './order-templates.ts'
import type { Order, Rendered, Variant } from './render-process.ts'

/** Each takes about a second. */
const COUNTS: Record<Variant, number> = {
  mail: 2_000,
  'raw mail': 2_500,
  text: 40_000,
  'raw text': 80_000,
  'without template': 100_000,
}
const VARIANTS = Object.keys(COUNTS) as Variant[]
const PEOPLE = 100

export const benchmarkRendering: Benchmark = async ({ scratch, rounds, tell }) => {
  const database = await scratch.createDatabase('rendering')
  const { id } = await prepareTenant(database)
  await publishOrderTemplates(database.pool, id)
  await database.pool.query("update users set phone = '+4915112345' || substr(id, 6), locale = 'en'")
  await notify(NAME, ['email', 'sms'], ORDER)
  await notify('without_template', ['email'], PAYLOAD)
  const renderer = await startChild(new URL('./render-process.js', import.meta.url), {
    databaseUrl: database.url,
  })
  const perSecond = Object.fromEntries(VARIANTS.map(variant => [variant, [] as number[]]))
  const render = (variant: Variant, count: number) =>
    renderer.ask<Rendered>({ variant, count } satisfies Order)

  async function notify(type: string, channels: string[], payload: object): Promise<void> {
    const people = Array.from({ length: PEOPLE }, (_, n) => `user-${n}`)
    await database.pool.query('select notify($1, $2, $3, channels => $4)', [
      type,
      JSON.stringify({ kind: 'users', user_ids: people }),
      JSON.stringify(payload),
      channels,
    ])
  }

  try {
    tell(
      `warming up, then rounds of ${VARIANTS.map(name => `${COUNTS[name].toLocaleString('en')} ${name}`).join(', ')}`,
    )
    for (const variant of VARIANTS) await render(variant, COUNTS[variant] / 2)
    const rates = await measureRounds({
      rounds: rounds + 2,
      variants: VARIANTS,
      async measure(variant) {
        const { seconds, cpu_seconds } = await render(variant, COUNTS[variant])
        perSecond[variant]!.push(COUNTS[variant] / seconds)
        return COUNTS[variant] / cpu_seconds
      },
      tell,
    })
    const line = (what: string, measured: Variant, anchor: Variant) =>
      compare({
        name: 'rendering',
        what: `${what}, per second of processor time`,
        measured: rates[measured],
        anchor: rates[anchor],
        show: formatRate,
        data: { perSecond: { [measured]: perSecond[measured], [anchor]: perSecond[anchor] } },
      })
    return [
      line('a mail by its template : the same texts by LiquidJS alone', 'mail', 'raw mail'),
      line('an SMS by its template : the same text by LiquidJS alone', 'text', 'raw text'),
      line('a mail by its template : a mail without a template', 'mail', 'without template'),
      line('an SMS by its template : a mail without a template', 'text', 'without template'),
    ]
  } finally {
    await renderer.stop()
  }
}
