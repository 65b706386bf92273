import { describe, expect, it } from 'vitest'
import { bar, sparkline } from './charts.ts'

describe('a sparkline', () => {
  it.each([
    [[], ''],
    [[0, 0, 0], '▁▁▁'],
    [[0, 1, 2, 3, 4, 5, 6, 7], '▁▂▃▄▅▆▇█'],
    [[1, 1000], '▂█'],
    [[5], '█'],
  ])('of %j is %s', (values, line) => expect(sparkline(values)).toBe(line))
})

describe('a bar', () => {
  it.each([
    [0, 10, ''],
    [5, 0, ''],
    [10, 10, '████████'],
    [5, 10, '████'],
    [1, 1000, '▏'],
    [3, 16, '█▌'],
  ])('of %d in %d is "%s"', (value, largest, text) => expect(bar(value, largest, 8)).toBe(text))
})
