import { describe, expect, it } from 'vitest'
import { anItem } from './item.fixture.ts'
import { applyChange, type Change, isUnread, wake, withPending } from './transitions.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const AT = '2026-03-01T12:00:00.000Z'
const LATER = '2026-03-02T08:00:00.000Z'

describe('an action', () => {
  it.each<[string, object, Change, object]>([
    ['read', {}, { action: 'read' }, { is_read: true, read_at: AT }],
    ['read again', { is_read: true, read_at: LATER }, { action: 'read' }, { read_at: LATER }],
    ['unread', { is_read: true, read_at: AT }, { action: 'unread' }, { is_read: false, read_at: null }],
    [
      'done, which is read too and no longer snoozed',
      { snoozed_until: LATER },
      { action: 'done' },
      { done_at: AT, is_read: true, read_at: AT, snoozed_until: null },
    ],
    ['undone', { done_at: AT, is_read: true }, { action: 'undone' }, { done_at: null, is_read: true }],
    ['save', {}, { action: 'save' }, { saved_at: AT }],
    ['unsave', { saved_at: AT }, { action: 'unsave' }, { saved_at: null }],
    ['snooze', {}, { action: 'snooze', until: LATER }, { snoozed_until: LATER, is_read: false }],
    ['unsnooze', { snoozed_until: LATER }, { action: 'unsnooze' }, { snoozed_until: null }],
    ['answer', {}, { action: 'answer', answer: 'yes' }, { answer: { action: 'yes', answered_at: AT } }],
  ])('%s', (_name, before, change, after) => {
    const item = anItem(before)
    expect(applyChange(item, change, NOW)).toEqual({ ...item, ...after })
  })

  it('that an event overtook leaves the row alone, unless it undoes something', () => {
    const looked = anItem({ event_count: 1 })
    const now = { ...looked, event_count: 2 }
    const pending = (change: Change) => [{ change, seen: new Map([[looked.id, looked]]), atMs: NOW }]
    for (const action of ['read', 'done'] as const) expect(withPending(now, pending({ action }))).toBe(now)
    expect(withPending(now, pending({ action: 'save' })).saved_at).toBe(AT)
    expect(withPending(looked, pending({ action: 'read' })).is_read).toBe(true)
  })
})

it.each([
  [{}, true],
  [{ is_read: true }, false],
  [{ done_at: AT }, false],
  [{ snoozed_until: LATER }, false],
  [{ snoozed_until: AT }, true],
  [{ expires_at: AT }, false],
])('the badge counts %j: %s', (fields, counts) => {
  expect(isUnread(anItem(fields), NOW)).toBe(counts)
})

it('what wakes is unread and not done', () => {
  const woken = wake(anItem({ snoozed_until: AT, is_read: true, read_at: AT, done_at: AT }))
  expect(woken).toMatchObject({ snoozed_until: null, is_read: false, read_at: null, done_at: null })
})
