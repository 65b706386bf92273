/** SQL that writes or compares the reason of a route uses the names of the contract. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { FINISH_REASONS, POSTPONE_REASONS, SKIP_REASONS } from '@carillon/contract'
import { expect, it } from 'vitest'

const server = fileURLToPath(new URL('../../../', import.meta.url))
const files = ['functions', 'src'].flatMap(folder =>
  readdirSync(server + folder, { recursive: true, encoding: 'utf8' })
    .filter(path => /\.(sql|ts)$/.test(path) && !/\.(test|suite|fixture)\.ts$/.test(path))
    // Suppressions, subscriptions and the rules of fan-out have reasons of their own.
    .filter(path => !/^(suppressions|subscriptions|fanout)\//.test(path))
    .map(path => ({ path: `${folder}/${path}`, text: readFileSync(`${server}${folder}/${path}`, 'utf8') })),
)

/** `reason = 'x'`, `'x' as reason`, and the branches of a `case` in either place. */
function reasonsIn(text: string): string[] {
  const values = [
    ...text.matchAll(/\breason (?:=|<>|is distinct from) ('\w*'|case\b.+?\bend\b)/gs),
    ...text.matchAll(/('\w*'|\bcase\b(?:(?!\bcase\b).)+?\bend) as reason\b/gs),
  ].map(([, value]) => value!)
  return values.flatMap(value =>
    value.startsWith("'")
      ? [value.slice(1, -1)]
      : [...value.matchAll(/\b(?:then|else) '(\w*)'/g)].map(([, literal]) => literal!),
  )
}

it('SQL names no reason that the contract does not know', () => {
  const known: string[] = ['', ...SKIP_REASONS, ...POSTPONE_REASONS, ...FINISH_REASONS]
  const used = files.flatMap(({ path, text }) => reasonsIn(text).map(reason => ({ path, reason })))
  expect(used.filter(({ reason }) => !known.includes(reason))).toEqual([])
  // Those that planning, digests, caps, cancelling, restores and suspended tenants give.
  expect([...new Set(used.map(({ reason }) => reason))].sort()).toEqual(
    [
      '',
      'cancelled',
      'cap_reached',
      'deadline',
      'delay',
      'digest',
      'digested',
      'escalation',
      'local_time',
      'no_address',
      'read',
      'restored',
      'tenant_suspended',
    ].sort(),
  )
})

it('SQL says which value is the reason wherever it creates routes', () => {
  const makers = files.filter(({ text }) => /insert into (carillon\.)?routes\b/.test(text))
  expect(makers.length).toBeGreaterThan(0)
  for (const { path, text } of makers) expect(text, path).toMatch(/ as reason\b|\bplanned_routes\(/)
})
