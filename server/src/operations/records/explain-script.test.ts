/** Explaining what scripts have sent. */
import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { useScripts } from '../../../test/running-scripts.ts'

const carillon = useCarillon()
const scripts = useScripts(carillon)

const intent = {
  notification_type: 'low_stock',
  payload: {},
  audience: { kind: 'addresses', channel: 'email', addresses: ['a@example.com'] },
}
const SENDS = `export default () => notify(${JSON.stringify(intent)})`

/** The last record, and what its explanation says about the script. */
async function explained() {
  const [record] = await carillon.readAll('/v1/records')
  const { decisions } = (await carillon.request('GET', `/v1/records/${record.notification_id}/explain`)).body
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect
  return decisions.filter((each: any) => each.decision === 'sent_by_script').map((each: any) => each.text)
}

it('explain names the run, the script with its version, the trigger and who it ran as', async () => {
  const script = await scripts.script(SENDS, { name: 'watch-stock' })
  const trigger = await scripts.trigger('kv', script, { collection: 'stock' })
  scripts.start()
  await scripts.set('stock', 'sku-1', 3)
  await scripts.settled()
  const [run] = await scripts.runs()
  const start = `Sent by version 1 of the script "watch-stock", as ${run.ran_as}, because of the trigger `
  expect(await explained()).toEqual([`${start}"kv trigger" (${trigger}) for kv insert: run ${run.id}.`])
  await carillon.request('DELETE', `/v1/triggers/${trigger}`)
  expect(await explained()).toEqual([`${start}${trigger} for kv insert: run ${run.id}.`])
  await carillon.pool.query('delete from runs')
  expect(await explained()).toEqual([`Sent by the run ${run.id} of a script; the run is past its retention.`])
})

it('explain says that the script was invoked', async () => {
  const script = await scripts.script(SENDS)
  scripts.start()
  await carillon.request('POST', `/v1/scripts/${script}/invoke`, { body: {} })
  const [text] = await explained()
  expect(text).toContain('because somebody invoked it: run ')
})

it('explain names no script for what an application sent', async () => {
  await carillon.send()
  expect(await explained()).toEqual([])
})
