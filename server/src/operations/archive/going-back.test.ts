/** Going back to a version without an archive: it finds everything where it looks. */
import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { migrateDown, migrateUp, migrationStatus } from '../../platform/database/migrate.ts'
import { archiveOnce } from './archive.ts'
import { useFinished } from './finished.fixture.ts'

const carillon = useCarillon()
const { age, ids } = useFinished(carillon)

it('what was archived is live again, also where its key was used once more', {
  tags: 'S002-28',
}, async () => {
  const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
  const entry = { idempotency_key: 'again', producer: 'shop' }
  const old = await carillon.send(entry)
  await carillon.settled(old, 'dead')
  await worker.stop()
  const [letter] = await carillon.readAll('/v1/dead-letters')
  await carillon.request('POST', `/v1/dead-letters/${letter.id}/resolve`, { body: {} })
  await age(91)
  const [archived] = await ids('records')
  expect(await archiveOnce(carillon.pool)).toMatchObject({ records: 1, routes: 1 })
  const young = await carillon.send(entry)
  const { applied } = await migrationStatus(carillon.url)
  await migrateDown(carillon.url, applied.length - applied.indexOf('0050_archive'))
  expect(await ids('records')).toEqual([archived, young].sort())
  for (const table of ['routes', 'route_attempts', 'dead_letters'])
    expect([table, await ids(table)]).toEqual([table, expect.arrayContaining([archived])])
  await carillon.pool.query('delete from records where notification_id = $1', [archived])
  expect(await ids('dead_letters')).toEqual([])
  await migrateUp(carillon.url)
  expect(await archiveOnce(carillon.pool)).toMatchObject({ records: 0 })
})
