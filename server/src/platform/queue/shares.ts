/**
 * Fair shares of a limited number of slots. Whoever is alone may use them all; while others wait, nobody takes more than
 * its share. A slot in use cannot be taken back, so a newcomer gets its share beyond the limit when the slots are all in
 * use: somebody else's calls that hang must not make it wait.
 */

export interface Claimant {
  /** Claimants of one owner (a tenant) share what the owner may use. */
  owner: string
  /** Slots in use. */
  claimed: number
  /** It had more to do than it was given. */
  isHungry: boolean
}

/** Everybody may use this many, however many share. */
const MIN_SHARE = 8
/** Slots in use never exceed the limit by more than this factor, whatever the shares say. */
const OVERCOMMIT = 4

export interface Shares {
  /** How many more slots this claimant may take now. */
  freeFor(claimant: Claimant): number
  /** The same for somebody who has none yet. */
  freeForNewcomer: number
}

export function shareSlots(slots: number, claimants: Iterable<Claimant>): Shares {
  const lanesOfOwner = new Map<string, number>()
  let claimed = 0
  let hungry = 0
  for (const claimant of claimants) {
    claimed += claimant.claimed
    if (claimant.isHungry) hungry++
    if (isActive(claimant)) lanesOfOwner.set(claimant.owner, (lanesOfOwner.get(claimant.owner) ?? 0) + 1)
  }
  const owners = lanesOfOwner.size
  const beyondLimit = Math.max(0, slots * OVERCOMMIT - claimed)
  const unused = Math.max(0, slots - claimed)

  function freeFor(claimant: Claimant): number {
    const ofOwner = lanesOfOwner.get(claimant.owner) ?? 0
    const ownersThen = ofOwner > 0 ? owners : owners + 1
    const lanesThen = isActive(claimant) ? ofOwner : ofOwner + 1
    const share = Math.max(MIN_SHARE, Math.floor(slots / ownersThen / lanesThen))
    const guaranteed = Math.max(0, share - claimant.claimed)
    const borrowed = Math.floor(unused / Math.max(1, claimant.isHungry ? hungry : hungry + 1))
    return Math.min(Math.max(guaranteed, borrowed), beyondLimit)
  }

  return {
    freeFor,
    freeForNewcomer: freeFor({ owner: '', claimed: 0, isHungry: false }),
  }
}

export const isActive = ({ claimed, isHungry }: Claimant): boolean => claimed > 0 || isHungry
