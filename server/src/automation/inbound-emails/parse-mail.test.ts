import { describe, expect, it } from 'vitest'
import { HOSTILE, STRANGE } from './mail.fixture.ts'
import { dataOf } from './mail-event.ts'
import { createMailReader } from './mail-reader.ts'
import { type ParsedMail, parseMail } from './parse-mail.ts'

const parse = (raw: string) => parseMail(Buffer.from(raw, 'latin1'))

describe('a hostile mail', () => {
  it.each(Object.entries(HOSTILE))('with %s is refused', async (_what, raw) => {
    await expect(parse(raw)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^The mail cannot be read: /),
      errors: [{ field: 'raw' }],
    })
  })

  it.each(Object.entries(STRANGE))('with %s makes no large event', async (_what, raw) => {
    const data = dataOf(await parse(raw), [])
    expect(Buffer.byteLength(data)).toBeLessThan(512 * 1024)
    expect(data).not.toContain('\\u0000')
    expect(JSON.parse(data)).toMatchObject({ recipients: [], truncated: expect.any(Array) })
  })

  it('says what of it is not whole', async () => {
    const cutIn = async (name: string) => JSON.parse(dataOf(await parse(STRANGE[name]!), [])).truncated
    expect(await cutIn('megabytes of text')).toEqual(['html'])
    expect(await cutIn('two thousand attachments')).toEqual(['attachments'])
    expect(await cutIn('thirty thousand recipients')).toEqual(['to'])
    expect(await cutIn('thousands of headers')).toEqual(['headers'])
  })
})

describe('reading', () => {
  const mail = {} as ParsedMail
  /** A parser that is done when the test says so. */
  function manual() {
    const running = new Map<string, () => void>()
    const reader = createMailReader(raw => {
      return new Promise(resolve => running.set(String(raw), () => resolve(mail)))
    })
    const read = (tenant: string, name: string) => reader.read(tenant, Buffer.from(name))
    return { read, running, names: () => [...running.keys()] }
  }
  const settled = () => new Promise(resolve => setImmediate(resolve))

  it('takes turns: whoever has many mails does not keep others waiting behind all of them', async () => {
    const { read, running, names } = manual()
    const all = [1, 2, 3].map(n => read('greedy', `greedy-${n}`))
    all.push(read('b', 'b'), read('c', 'c'), read('d', 'd'))
    await settled()
    expect(names()).toEqual(['greedy-1', 'b', 'c'])
    running.get('greedy-1')!()
    await settled()
    expect(names()).toEqual(['greedy-1', 'b', 'c', 'd'])
    for (const name of ['b', 'c', 'd']) running.get(name)!()
    await settled()
    running.get('greedy-2')!()
    await settled()
    running.get('greedy-3')!()
    expect(await Promise.all(all)).toHaveLength(6)
  })

  it('keeps only so many of a tenant waiting', async () => {
    const { read, running } = manual()
    const accepted = Array.from({ length: 11 }, (_, n) => read('a', `a-${n}`))
    await expect(read('a', 'one too many')).rejects.toMatchObject({ code: 'unavailable' })
    const other = read('b', 'b')
    await settled()
    running.get('b')!()
    expect(await other).toBe(mail)
    for (let n = 0; n < 11; n++) {
      running.get(`a-${n}`)!()
      await settled()
    }
    await Promise.all(accepted)
  })
})
