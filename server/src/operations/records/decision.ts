/** Building blocks of explanations. */
import type { Decision } from '@carillon/contract'

export const decision = (at: Date, name: string, text: string): Decision => ({
  at: at.toISOString(),
  decision: name,
  text,
})

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
