import { describe, expect, it } from 'vitest'
import { type Claimant, shareSlots } from './shares.ts'

const lane = (owner: string, claimed: number, isHungry = false): Claimant => ({ owner, claimed, isHungry })

describe('fair shares', () => {
  it('give everything to whoever is alone', () => {
    const alone = lane('a', 100, true)
    expect(shareSlots(500, [alone]).freeFor(alone)).toBe(400)
  })

  it('give a newcomer its share although every slot is in use, and the others no more', () => {
    const hog = lane('a', 500, true)
    const shares = shareSlots(500, [hog])
    expect(shares.freeForNewcomer).toBe(250)
    expect(shares.freeFor(lane('b', 0))).toBe(250)
    const second = lane('b', 250, true)
    const both = shareSlots(500, [hog, second])
    expect([both.freeFor(hog), both.freeFor(second)]).toEqual([0, 0])
    expect(shareSlots(500, [lane('a', 400, true), second]).freeFor(hog)).toBe(0)
  })

  it('divide what an owner gets among its lanes, so that one lane stuck leaves room for the next', () => {
    const bulk = lane('a', 500, true)
    const critical = lane('a', 0)
    expect(shareSlots(500, [bulk, critical]).freeFor(critical)).toBe(250)
    const other = lane('b', 0)
    expect(shareSlots(500, [bulk, lane('a', 100), other]).freeFor(other)).toBe(250)
  })

  it('lend what nobody uses, in equal parts to those who want more', () => {
    const busy = [lane('a', 100, true), lane('b', 300, true), lane('c', 20)]
    const shares = shareSlots(600, busy)
    expect(shares.freeFor(busy[0]!)).toBe(100)
    expect(shares.freeFor(busy[1]!)).toBe(90)
  })

  it('leave everybody a few, however many share, within a bound for all', () => {
    const crowd = Array.from({ length: 200 }, (_, i) => lane(`t${i}`, 8))
    expect(shareSlots(500, crowd).freeForNewcomer).toBe(8)
    const everywhere = Array.from({ length: 249 }, (_, i) => lane(`t${i}`, 8))
    expect(shareSlots(500, everywhere).freeForNewcomer).toBe(8)
    expect(shareSlots(500, [...everywhere, lane('last', 8)]).freeForNewcomer).toBe(0)
  })
})
