import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { callAndLeave } from '../../../test/leaving-caller.ts'
import { useScripts } from '../../../test/running-scripts.ts'
import { waitFor } from '../../../test/wait-for.ts'

const carillon = useCarillon()
const scripts = useScripts(carillon)

it('a caller that leaves before its script is found leaves one abandoned execution', {
  tags: 'S003-16',
}, async () => {
  const id = await scripts.script('export default event => event.data')
  await callAndLeave(carillon, `/v1/scripts/${id}/invoke`, {
    table: 'scripts',
    body: '{"input": "late"}',
    headers: { authorization: `Bearer ${carillon.key}`, 'content-type': 'application/json' },
  })
  scripts.start()
  const abandoned = await waitFor(
    async () => {
      const found = await carillon.readAll('/v1/abandoned-executions')
      return found.length > 0 ? found : undefined
    },
    { what: 'the abandoned execution' },
  )
  expect(abandoned).toMatchObject([{ script_id: id, status_code: 200, summary: '"late"' }])
})
