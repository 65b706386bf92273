import { expect, it } from 'vitest'
import { createQueue } from './queue.ts'

const TEMPORARY = new Error('for now')

function aQueue() {
  const timers: (() => void)[] = []
  const waiting: unknown[] = []
  const queue = createQueue({
    isTemporary: error => error === TEMPORARY,
    onWaiting: error => waiting.push(error),
    after(_ms, call) {
      timers.push(call)
      return () => timers.splice(timers.indexOf(call), 1)
    },
  })
  return { queue, timers, waiting }
}

it('runs one task at a time, in order, whatever becomes of those before', async () => {
  const { queue } = aQueue()
  const told: string[] = []
  const task = (name: string) => async () => {
    told.push(`begin ${name}`)
    await Promise.resolve()
    told.push(`end ${name}`)
    if (name === 'a') throw new Error('refused')
  }
  await expect(Promise.all([queue.run(task('a')), queue.run(task('b'))])).rejects.toThrow('refused')
  await queue.run(task('c'))
  expect(told).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c'])
})

it('tries again after a while, or when it is woken, and keeps the others waiting', async () => {
  const { queue, timers, waiting } = aQueue()
  let failures = 2
  const told: string[] = []
  const first = queue.run(
    async () => {
      if (failures-- > 0) throw TEMPORARY
      told.push('first')
    },
    { keepsTrying: true },
  )
  const second = queue.run(async () => told.push('second'))
  await expect.poll(() => timers.length).toBe(1)
  timers[0]!()
  await expect.poll(() => waiting.length).toBe(2)
  queue.wakeUp()
  await Promise.all([first, second])
  expect([told, timers]).toEqual([['first', 'second'], []])
})

it('gives up at once what is not to be repeated, and what waits when it is stopped', async () => {
  const { queue, waiting } = aQueue()
  const fail = async () => {
    throw TEMPORARY
  }
  await expect(queue.run(fail)).rejects.toBe(TEMPORARY)
  const kept = queue.run(fail, { keepsTrying: true })
  await expect.poll(() => waiting.length).toBe(1)
  queue.stop()
  await expect(kept).rejects.toThrow('stopped before this was sent')
  await expect(queue.run(async () => {})).rejects.toThrow('stopped')
})

it('begins at once what has to be sent, in order, when the page is about to go', async () => {
  const { queue } = aQueue()
  const told: string[] = []
  let release = () => {}
  const first = queue.run(() => new Promise<void>(resolve => (release = resolve)))
  const read = queue.run(async () => told.push('a question'))
  const deeds = ['one', 'two'].map(name => queue.run(async () => told.push(name), { keepsTrying: true }))
  queue.hurry()
  await Promise.all(deeds)
  expect(told).toEqual(['one', 'two'])
  release()
  await Promise.all([first, read])
  expect(told).toEqual(['one', 'two', 'a question'])
})
