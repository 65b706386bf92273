import { expect, it } from 'vitest'
import { namesOf } from './script-completions.ts'
import { mistakesOf } from './script-words.ts'

const TYPES = `
declare namespace Carillon {
  interface EventOf<Kind extends string, Data> {
    /** The same for every attempt. */
    id: string
    trigger: { id: string; name: string } | null
    data: Data
  }
}

/** Why the script runs. */
declare var event: Carillon.Event

/** Sends a notification. */
declare function notify(intent: Carillon.Intent): Promise<{ position: number }>

/** What is remembered. */
declare const kv: {
  /** The value, or null. */
  get(collection: string, key: string): Promise<Carillon.Json>
  /** At most 64 KiB as JSON. */
  set(
    collection: string,
    value: unknown,
    options?: { ttl_seconds?: number | undefined },
  ): Promise<void>
}

declare function log(...values: unknown[]): void
`

it('finds what scripts can use, with its explanation', () => {
  const { globals, members } = namesOf(TYPES)
  expect(globals).toEqual([
    { label: 'event', type: 'variable', detail: '', info: 'Why the script runs.' },
    { label: 'notify', type: 'function', detail: '(intent)', info: 'Sends a notification.' },
    { label: 'kv', type: 'variable', detail: '', info: 'What is remembered.' },
    { label: 'log', type: 'function', detail: '(...values)', info: '' },
  ])
  expect(members.kv).toEqual([
    { label: 'get', type: 'function', detail: '(collection, key)', info: 'The value, or null.' },
    {
      label: 'set',
      type: 'function',
      detail: '(collection, value, options?)',
      info: 'At most 64 KiB as JSON.',
    },
  ])
  expect(members.event!.map(({ label }) => label)).toEqual(['id', 'trigger', 'data'])
})

it('finds nothing in an empty text', () => {
  expect(namesOf('')).toEqual({ globals: [], members: {} })
})

it('finds the place of an error', () => {
  expect(mistakesOf("TypeError: no 'count' of null (line 3, column 25)")).toEqual([
    { line: 3, column: 25, message: "TypeError: no 'count' of null" },
  ])
  expect(mistakesOf('SyntaxError: unexpected (line 1)')).toEqual([
    { line: 1, message: 'SyntaxError: unexpected' },
  ])
  expect(mistakesOf('It took too long')).toEqual([])
})
