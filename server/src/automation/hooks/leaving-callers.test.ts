import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { callAndLeave } from '../../../test/leaving-caller.ts'
import { useScripts } from '../../../test/running-scripts.ts'
import { waitFor } from '../../../test/wait-for.ts'

const carillon = useCarillon()
const scripts = useScripts(carillon)

async function hookPath(dispatch_mode: 'async' | 'sync'): Promise<string> {
  const script_id = await scripts.script('export default event => event.data.body')
  const body = { name: `${dispatch_mode} hook`, kind: 'http', script_id, dispatch_mode }
  const { url } = (await carillon.request('POST', '/v1/triggers', { body })).body
  return new URL(url).pathname
}
const outbox = async () => (await carillon.pool.query('select context from outbox')).rows

it('keeps the event of a caller that does not wait for the answer, with its address', async () => {
  const path = await hookPath('async')
  await callAndLeave(carillon, path, { table: 'http_trigger_details', body: 'hello' })
  const rows = await waitFor(async () => ((await outbox()).length > 0 ? outbox() : undefined), {
    what: 'the event',
  })
  expect(rows).toMatchObject([{ context: { origin: 'ip:127.0.0.1' } }])
  scripts.start()
  await scripts.settled()
})

it('a caller that leaves before its trigger is found leaves one abandoned execution', {
  tags: 'S003-16',
}, async () => {
  const path = await hookPath('sync')
  await callAndLeave(carillon, path, { table: 'http_trigger_details', body: 'hello' })
  scripts.start()
  const left = await waitFor(
    async () => {
      const found = await carillon.readAll('/v1/abandoned-executions')
      return found.length > 0 ? found : undefined
    },
    { what: 'the abandoned execution' },
  )
  expect(left).toMatchObject([{ status_code: 200, summary: '"hello"' }])
})
