import type { InboxItem } from '@carillon/sdk'
import { expect, it } from 'vitest'
import { actorsOf, initialsOf } from './actors.ts'

it.each([
  ['Ada Lovelace', 'AL'],
  ['ada', 'A'],
  ['ada.byron-king@example.com', 'AK'],
  ['@ada', 'A'],
  ['Élodie', 'É'],
  ['山田 太郎', '山太'],
  ['👩‍🚀 Sally', '👩‍🚀S'],
  ['  ', '?'],
  ['<script>', 'S'],
])('the initials of %j are %j', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})

const itemWith = (actors: unknown) => ({ summary: { actors } }) as unknown as InboxItem

it('shows people by what the product says of them, and otherwise by their id', () => {
  const profileOf = (id: string) =>
    id === 'u1' ? { name: 'Ada Lovelace', image: 'https://example.com/ada.png' } : undefined
  expect(actorsOf(itemWith(['u1', 'bob']), profileOf)).toEqual([
    { name: 'Ada Lovelace', initials: 'AL', image: 'https://example.com/ada.png' },
    { name: 'bob', initials: 'B', image: undefined },
  ])
})

it('takes no picture from an address that is no page, and nobody from what is no list of ids', () => {
  const profileOf = () => ({ image: 'javascript:alert(1)' })
  expect(actorsOf(itemWith(['ada']), profileOf)[0]!.image).toBeUndefined()
  for (const actors of [undefined, null, 'ada', { ada: 1 }, [1, null, {}]])
    expect(actorsOf(itemWith(actors), undefined)).toEqual([])
})
