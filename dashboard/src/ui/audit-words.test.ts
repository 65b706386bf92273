import { describe, expect, it } from 'vitest'
import { sayAction, sayResource } from './audit-words.ts'

describe('what was done', () => {
  it.each([
    ['update', 'changed'],
    ['accept', 'accepted'],
    ['suspend', 'suspended'],
    ['resume', 'resumed'],
    ['schedule_deletion', 'scheduled the deletion of'],
  ])('%s is said as "%s the …"', (action, words) => {
    expect(sayAction(action)).toBe(words)
  })
})

describe('what it was done to', () => {
  it.each([
    ['user', 'person'],
    ['kv_entry', 'KV entry'],
    ['topic_member', 'topic member'],
  ])('%s is said as "%s"', (type, words) => {
    expect(sayResource(type)).toBe(words)
  })
})
