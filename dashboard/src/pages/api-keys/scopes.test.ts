import { SCOPES } from '@carillon/contract'
import { expect, it } from 'vitest'
import { SCOPE_AREAS, sayScopes } from './scopes.ts'

it('offers every scope exactly once', () => {
  const offered = SCOPE_AREAS.flatMap(({ scopes }) => scopes)
  expect(offered.toSorted()).toEqual(SCOPES.toSorted())
  expect(SCOPE_AREAS.at(-1)!.scopes).toEqual(['admin', 'instance'])
})

it('says in a few words what a key may do', () => {
  expect(sayScopes(null)).toBe('Nothing')
  expect(sayScopes(['admin'])).toBe('Everything')
  expect(sayScopes(['admin', 'instance'])).toBe('Everything, all tenants')
  expect(sayScopes(['kv:read'])).toBe('kv:read')
  expect(sayScopes(['kv:read', 'kv:write', 'metrics:read'])).toBe('kv:read, kv:write and 1 more')
})
