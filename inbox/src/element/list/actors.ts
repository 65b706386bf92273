/** Who did something, as a row shows it. */
import type { InboxItem } from '@carillon/sdk'
import { pageAddress } from './page-address.ts'
import { plain } from './plain.ts'

/** What a product tells about a person whom Carillon only knows by an id. */
export interface Profile {
  name?: string
  image?: string
}
export type ProfileOf = (userId: string) => Profile | undefined

export interface Actor {
  name: string
  initials: string
  image: string | undefined
}

/** Those who did something last; the latest is first. */
export function actorsOf({ summary }: InboxItem, profileOf: ProfileOf | undefined): Actor[] {
  const ids = Array.isArray(summary.actors) ? summary.actors : []
  return ids
    .filter(id => typeof id === 'string')
    .map(id => {
      const { name, image } = profileOf?.(id) ?? {}
      const shown = plain(name ?? id, 80)
      return { name: shown, initials: initialsOf(shown), image: pageAddress(image) }
    })
}

/** One or two letters: of the first and the last word, in addresses of those before the @. An emoji counts as one. */
export function initialsOf(name: string): string {
  const words = name
    .replace(/(.)@.*/, '$1')
    .split(/[^\p{L}\p{N}\p{M}\p{Emoji_Presentation}\u200d]+/u)
    .filter(word => word !== '')
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(firstLetter)
  return letters.join('').toLocaleUpperCase() || '?'
}

const segmenter = new Intl.Segmenter()

function firstLetter(word = ''): string {
  return segmenter.segment(word)[Symbol.iterator]().next().value?.segment ?? ''
}
