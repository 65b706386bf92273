import { describe, expect, it } from 'vitest'
import { createEventReader } from './event-stream.ts'

const TEXT = [
  '\uFEFFretry: 1500\n:padding\n\n',
  'id: 1:2:\nevent: inbox\ndata: {"unread":1}\n\n',
  ':\n\n',
  'data:two\ndata: lines\r\n\r\n',
  'event: only a name\n\n',
  'id: 1:3:\n\n',
  'data\ndata\n\n',
  'nonsense: x\nretry: soon\ndata: 😀 ü\r\r',
].join('')
const EVENTS = [
  { event: 'inbox', data: '{"unread":1}' },
  { event: 'message', data: 'two\nlines' },
  { event: 'message', data: '\n' },
  { event: 'message', data: '😀 ü' },
]

describe('server-sent events', () => {
  it('are the same in whatever pieces they arrive', () => {
    for (let size = 1; size <= TEXT.length; size++) {
      const reader = createEventReader()
      const pieces = TEXT.match(new RegExp(`[^]{1,${size}}`, 'g'))!
      const events = pieces.flatMap(reader.read)
      // The last line may still go on, until something follows it.
      expect([size, ...events, ...reader.read(':')]).toEqual([size, ...EVENTS])
      expect([reader.lastId, reader.retryMs]).toEqual(['1:3:', 1500])
    }
  })

  it('keep the id of an earlier connection until there is another', () => {
    const reader = createEventReader('7')
    reader.read('data: x\n\n')
    expect(reader.lastId).toBe('7')
    reader.read('id: 8\0\ndata: x\n\n')
    expect(reader.lastId).toBe('7')
    reader.read('id: 8\n\n')
    expect(reader.lastId).toBe('8')
  })
})
