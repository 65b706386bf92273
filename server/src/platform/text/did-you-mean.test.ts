import { describe, expect, it } from 'vitest'
import { didYouMean } from './did-you-mean.ts'

describe('did you mean', () => {
  it.each([
    ['sendAt', ['send_at', 'expires_at'], 'send_at'],
    ['SEND_AT', ['send_at'], 'send_at'],
    ['x', ['send_at'], undefined],
    ['anything', [], undefined],
  ])('%s among %j: %s', (given, known, meant) => {
    expect(didYouMean(given, known)).toBe(meant)
  })
})
