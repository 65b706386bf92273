import { describe, expect, it } from 'vitest'
import { collapseKey, expiration, pushContent, pushLook, stableUuid, ttlOf } from './push-content.ts'
import { aPush } from './push-provider.fixture.ts'

describe('the content', () => {
  it('is small and the same for every device of the person', { tags: 'S000-27' }, () => {
    const content = pushContent(aPush([], { payload: { big: 'x'.repeat(60_000) } }))
    expect(content).toEqual({
      title: 'Rechnung bezahlt – danke',
      body: 'Grüezi Ada, Rechnung 7 ist bezahlt.',
      data: {
        message_id: 'rec-2.route-3',
        notification_id: '0197f2a0-0000-7000-8000-000000000002',
        type: 'invoice.paid',
      },
    })
  })

  it('includes the payload if there is room, without what is about the notification itself', () => {
    const push = { url: 'app://orders/7', image: 'https://a.example/7.png', badge: 3, channel_id: 'orders' }
    const message = aPush([], { payload: { order: 7, push } })
    expect(pushContent(message).data).toMatchObject({
      url: 'app://orders/7',
      image: 'https://a.example/7.png',
      payload: '{"order":7}',
    })
    expect(pushLook(message)).toEqual({ image: push.image, badge: 3, channel_id: 'orders' })
  })

  it.each([
    ['no object', 'loud'],
    ['wrong types', { url: 7, image: 'x', badge: -1, channel_id: '' }],
    ['an image that is not public', { image: 'file:///etc/passwd' }],
    ['too long', { url: 'x'.repeat(501), channel_id: 'x'.repeat(101) }],
  ])('leaves out what is not valid: %s', (_case, push) => {
    const message = aPush([], { payload: { push } })
    expect(Object.keys(pushContent(message).data)).toEqual(['message_id', 'notification_id', 'type'])
    expect(pushLook(message)).toEqual({})
  })

  it('leaves out a payload for which there is no room, and nothing else', () => {
    const payload = { order: 'x'.repeat(2000), push: { url: 'app://orders/7' } }
    const { data } = pushContent(aPush([], { text: 'y'.repeat(1800), payload }))
    expect(data).toMatchObject({ url: 'app://orders/7' })
    expect(data).not.toHaveProperty('payload')
  })

  it.each([
    ['letters', 'x'],
    ['letters of four bytes', '🦉'],
    ['characters that JSON escapes', '\u0001'],
    ['quotes', '"'],
    ['halves of a character', '\ud83d'],
  ])('stays within what every service accepts with a text of %s', { tags: 'S000-27' }, (_case, character) => {
    const content = pushContent(
      aPush([], { subject: character.repeat(10_000), text: `${character.repeat(50_000)} end` }),
    )
    expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(2500)
    expect(content.title.endsWith('…')).toBe(true)
    expect(content.body.startsWith(character)).toBe(true)
  })

  it('is not cut when it fits exactly', () => {
    expect(pushContent(aPush([], { text: 'x'.repeat(1800) })).body).toBe('x'.repeat(1800))
    expect(pushContent(aPush([], { text: 'x'.repeat(1801) })).body).toBe(`${'x'.repeat(1797)}…`)
  })
})

describe('the ids', () => {
  it('the collapse key is unique to a message, stable, and safe in a header', { tags: 'S000-26' }, () => {
    const key = collapseKey(aPush([]))
    expect(key).toMatch(/^[\w-]{32}$/)
    expect(collapseKey(aPush([], { text: 'other' }))).toBe(key)
    expect(collapseKey(aPush([], { message_id: 'rec-2.route-4' }))).not.toBe(key)
  })

  it('the UUID is canonical, stable, and different for different parts', { tags: 'S000-26' }, () => {
    expect(stableUuid('a', 'b')).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    expect(stableUuid('a', 'b')).toBe(stableUuid('a', 'b'))
    expect(new Set([stableUuid('a', 'b'), stableUuid('ab', ''), stableUuid('a', 'c')]).size).toBe(3)
  })

  it.each([
    [null, 600],
    ['1970-01-01T00:01:05.500Z', 60],
    ['1970-01-01T01:00:00.000Z', 600],
    ['1970-01-01T00:00:01.000Z', 0],
  ])('a message that is of use until %s is kept for %i of 600 seconds', (expires_at, seconds) => {
    expect(ttlOf(aPush([], { expires_at }), 600, () => 5000)).toBe(seconds)
  })

  it('the expiration of a message that expires at once is 0', () => {
    expect(expiration(0, () => 5000)).toBe('0')
    expect(expiration(60, () => 5900)).toBe('65')
  })
})
