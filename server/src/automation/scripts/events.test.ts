/** What scripts really see of each kind of event, compared with what is declared for their authors. */
import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type ScriptEvent, ScriptEvent as ScriptEventSchema } from '@carillon/contract'
import { expect, inject, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { drainAll, emit } from '../../../test/events.ts'
import { useScripts } from '../../../test/running-scripts.ts'
import { fireDueTrigger } from '../triggers/cron-ticker.ts'
import { createTriggersConsumer } from '../triggers/event-consumer.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const carillon = useCarillon()
const scripts = useScripts(carillon)
const RAW_MAIL = [
  'From: Ada <ada@example.com>',
  'To: help@example.com',
  'Subject: Help',
  'Message-ID: <1@example.com>',
  'Date: Sun, 01 Mar 2026 10:00:00 +0000',
  '',
  'It is broken.',
].join('\r\n')
const MINIMAL_MAIL = '\r\nnothing else'

/** One of each kind, and what looks different from it. */
async function causeEverything(): Promise<void> {
  const echo = await scripts.script('export default event')
  const failing = await scripts.script('export default () => { throw new Error("no") }')
  await scripts.trigger('kv', echo, { collection: 'orders' })
  await scripts.trigger('queue', echo, { queue: 'orders' })
  await scripts.trigger('email', echo, { address: 'help@example.com' })
  await scripts.trigger('cron', echo, { cron: '@daily', timezone: 'Europe/Berlin' })
  await scripts.trigger('dead_letter', echo, {})
  await scripts.trigger('event', echo, { event_kind: '*' })
  await scripts.trigger('queue', failing, { queue: 'fails' }, { retry: { max_attempts: 1 } })
  const hook = await carillon.request('POST', '/v1/triggers', {
    body: { name: 'hook', kind: 'http', script_id: echo, config: { methods: ['POST', 'GET'] } },
  })
  await scripts.set('orders', '7', { total: 1 })
  await scripts.set('orders', '7', { total: 2 })
  await carillon.request('DELETE', '/v1/kv/orders/7')
  for (const queue of ['orders', 'fails'])
    await carillon.request('POST', `/v1/queues/${queue}`, { body: { message: { order: 7 } } })
  for (const raw of [RAW_MAIL, MINIMAL_MAIL])
    await carillon.request('POST', '/v1/inbound-emails?to=help%40example.com', { body: { raw } })
  const address = new URL(hook.body.url).pathname
  await carillon.request('POST', `${address}?a=1&b=2&b=3`, { body: { n: 1 }, key: null })
  await carillon.request('GET', address, { key: null })
  await carillon.pool.query("update cron_trigger_details set next_run_at = now() - interval '1 second'")
  await fireDueTrigger({ pool: carillon.pool, onFired: () => {} })
  for (const more of [{}, { topic: 'shop', actor_id: 'ada', thread: { kind: 'issue', id: '7' } }])
    await emit(carillon.pool, { kind: 'paid', payload: { n: 1 }, ...more })
  await drainAll(
    carillon.pool,
    createTriggersConsumer(() => {}),
    carillon.tenantId,
  )
  await carillon.putUser('ada', { email: 'ada@example.com' })
  const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'refused' }))
  await carillon.settled(await carillon.send(), 'dead')
  await worker.stop()
  await carillon.request('POST', `/v1/scripts/${echo}/invoke`, { body: { input: { n: 1 }, mode: 'async' } })
}

async function eventsOfRuns(): Promise<ScriptEvent[]> {
  scripts.start()
  await scripts.settled()
  const runs = await scripts.runs('?status=succeeded')
  const answers = await Promise.all(runs.map(run => carillon.request('GET', `/v1/runs/${run.id}`)))
  return answers.map(answer => JSON.parse(answer.body.result_json))
}

it('the events of real runs have exactly the members that are declared', async () => {
  await causeEverything()
  const seen = await eventsOfRuns()
  const kinds = ScriptEventSchema.shape.kind.options
  expect([...new Set(seen.map(event => event.kind))].toSorted()).toEqual(kinds.toSorted())
  for (const event of seen) expect(ScriptEventSchema.strict().parse(event)).toEqual(event)
  const changes = seen.filter(event => event.kind === 'kv').map(event => event.op)
  expect(changes.toSorted()).toEqual(['delete', 'insert', 'update'])
  // one of a route and one of a script
  expect(seen.filter(event => event.kind === 'dead_letter')).toHaveLength(2)
  expect(await compile(seen)).toBe('')
  expect(await compile([{ ...seen.find(event => event.kind === 'kv')!, data: { unknown: 1 } }])).toMatch(
    /unknown/,
  )
})

/** What the compiler says about them. */
async function compile(events: ScriptEvent[]): Promise<string> {
  const folder = mkdtempSync(join(inject('scratchDir'), 'events-'))
  const literals = events.map(
    (event, n) => `export const event${n}: Carillon.Event = ${JSON.stringify(event)}`,
  )
  writeFileSync(join(folder, 'events.ts'), literals.join('\n'))
  const compilerOptions = { noEmit: true, strict: true, target: 'es2023', lib: ['es2023'], types: [] }
  const files = ['events.ts', join(ROOT, 'sdk/scripts.d.ts')]
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  const said = await promisify(execFile)(tsc, ['-p', folder]).catch(({ stdout }) => ({ stdout }))
  return said.stdout
}
