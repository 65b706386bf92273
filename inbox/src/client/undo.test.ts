import { describe, expect, it } from 'vitest'
import { anItem, idOf } from './item.fixture.ts'
import { undoOf } from './undo.ts'

const AT = '2026-03-01T12:00:00.000Z'
const [one, two, three] = [idOf(1), idOf(2), idOf(3)]

describe('taking back', () => {
  it('“read” makes unread what was, and leaves the rest', () => {
    const before = [anItem({ n: 1 }), anItem({ n: 2, is_read: true }), anItem({ n: 3 })]
    expect(undoOf('read', before)).toEqual([{ change: { action: 'unread' }, ids: [one, three] }])
  })

  it('“done” brings rows back with what they had: unread, and snoozed', () => {
    const before = [
      anItem({ n: 1 }),
      anItem({ n: 2, is_read: true }),
      anItem({ n: 3, is_read: true, snoozed_until: AT }),
      anItem({ n: 4, done_at: AT }),
    ]
    expect(undoOf('done', before)).toEqual([
      { change: { action: 'undone' }, ids: [one, two, three] },
      { change: { action: 'unread' }, ids: [one] },
      { change: { action: 'snooze', until: AT }, ids: [three] },
    ])
  })

  it('“snooze” gives rows the snooze that they had, or none', () => {
    const before = [anItem({ n: 1 }), anItem({ n: 2, snoozed_until: AT })]
    expect(undoOf('snooze', before)).toEqual([
      { change: { action: 'unsnooze' }, ids: [one] },
      { change: { action: 'snooze', until: AT }, ids: [two] },
    ])
  })

  it.each([
    ['unread', { is_read: true }, 'read'],
    ['undone', { done_at: AT }, 'done'],
    ['save', {}, 'unsave'],
    ['unsave', { saved_at: AT }, 'save'],
  ] as const)('“%s” does the opposite, and nothing if it did nothing', (action, fields, opposite) => {
    expect(undoOf(action, [anItem(fields)])).toEqual([{ change: { action: opposite }, ids: [one] }])
    const unchanged = action === 'save' ? { saved_at: AT } : {}
    expect(undoOf(action, [anItem(unchanged)])).toEqual([])
  })
})
