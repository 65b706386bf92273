import { expect, test } from 'vitest'
import { partsOf, timeIn } from './sentence.tsx'

test('times and notifications in a sentence are found, the rest stays', () => {
  const id = '01a1ee96-6eef-7f3a-8526-e26b704b3c52'
  expect(partsOf(`Waiting until 2026-11-18T14:59:00.043Z (quiet hours): notification ${id}.`)).toEqual([
    { text: 'Waiting until ' },
    { time: '2026-11-18T14:59:00.043Z' },
    { text: ' (quiet hours): notification ' },
    { notification: id },
    { text: '.' },
  ])
})

test('an id that is no notification stays text', () => {
  const text = 'Accepted, key "c63d052e-8657-4f54-97fc-054f92addde4".'
  expect(partsOf(text)).toEqual([{ text }])
  expect(timeIn(text)).toBeUndefined()
})
