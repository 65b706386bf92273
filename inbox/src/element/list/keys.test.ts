import { expect, it } from 'vitest'
import { commandOf, type Key } from './keys.ts'

const NO_KEY: Key = { key: '', code: '', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false }

it.each<[what: Partial<Key>, command: string | undefined]>([
  [{ key: 'j' }, 'next'],
  [{ key: 'J' }, 'next'],
  [{ key: 'J', shiftKey: true }, 'extend-next'],
  [{ key: 'ArrowUp' }, 'previous'],
  [{ key: 'ArrowUp', shiftKey: true }, 'extend-previous'],
  [{ key: 'о', code: 'KeyJ' }, 'next'],
  [{ key: 'e' }, 'done'],
  [{ key: 'E', shiftKey: true }, undefined],
  [{ key: 'e', ctrlKey: true }, undefined],
  [{ key: 'e', metaKey: true }, undefined],
  [{ key: 'e', altKey: true }, undefined],
  [{ key: 'a' }, undefined],
  [{ key: 'a', ctrlKey: true }, 'select-all'],
  [{ key: 'a', metaKey: true }, 'select-all'],
  [{ key: 'a', ctrlKey: true, altKey: true }, undefined],
  [{ key: '?', shiftKey: true }, 'help'],
  [{ key: '/', shiftKey: true }, 'filter'],
  [{ key: '/' }, 'filter'],
  [{ key: 'Enter' }, undefined],
  [{ key: ' ' }, undefined],
  [{ key: 'Tab' }, undefined],
])('%j is %s', (key, command) => {
  expect(commandOf({ ...NO_KEY, ...key })).toBe(command)
})
