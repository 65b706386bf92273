import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { inhabit } from '../../../test/inhabited.ts'

const carillon = useCarillon()

it('a deleted tenant leaves nothing behind but accounts, which may operate other tenants', {
  tags: 'S003-27',
}, async () => {
  await inhabit(carillon)
  const { tenants: _, pgmigrations: __, releases: ___, ...before } = await carillon.rowCounts()
  expect(Object.values(before).filter(rows => rows > 0).length).toBeGreaterThan(20)
  await carillon.pool.query('delete from tenants')
  const { pgmigrations: ____, releases: _____, accounts, ...after } = await carillon.rowCounts()
  expect(accounts).toBeGreaterThan(0)
  expect(Object.entries(after).filter(([, rows]) => rows > 0)).toEqual([])
})
