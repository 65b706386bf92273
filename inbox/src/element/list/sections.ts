/** A group with its heading, and those of its rows that are near the reader. */
import { html, nothing, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import { repeat } from 'lit/directives/repeat.js'
import { dayIn, type Group } from '../../client/groups.ts'
import type { CarillonInboxList } from './carillon-inbox-list.ts'
import type { Piece, Section, Slot } from './layout.ts'
import { plain } from './plain.ts'
import { type RowContext, row } from './row.ts'

export function renderSection(
  list: CarillonInboxList,
  group: Group,
  { before, pieces }: Section,
): TemplateResult {
  const heading = pieces[0] !== undefined && 'slot' in pieces[0] && pieces[0].slot.item === undefined
  const [title, rest] = heading ? [pieces[0] as { slot: Slot }, pieces.slice(1)] : [undefined, pieces]
  const name = heading ? nameOf(list, group) : list.words.title
  return html`${space(before)}
    <section>
      ${title === undefined ? nothing : html`<div class="heading" part="heading" role="heading" aria-level="3" data-key=${title.slot.key}><bdi>${name}</bdi></div>`}
      <div role="list" aria-label=${name}>
        ${repeat(rest, keyOf, piece => ('space' in piece ? space(piece.space) : renderRow(list, piece.slot)))}
      </div>
    </section>`
}

/** As a property, because a page may forbid attributes with styles. */
export const space = (height: number) =>
  height > 0 ? html`<div .style=${`height:${height}px`}></div>` : nothing

function renderRow(list: CarillonInboxList, { item, position }: Slot): unknown {
  const { words, locale, times, now, profileOf } = list
  const setSize = list.state.hasMore ? -1 : list.order.length
  const context: RowContext = { words, locale, times, now, profileOf, setSize }
  const isSelected = list.selection.ids.has(item!.id)
  const isActive = list.active === item!.id
  return guard([item, position, isSelected, isActive, ...Object.values(context)], () =>
    row(item!, { position, isSelected, isActive }, context),
  )
}

function nameOf({ group, words, times, now, zone }: CarillonInboxList, { key }: Group): string {
  if (group === 'date') return times.day(key, dayIn(zone)(now))
  return key === '' ? words.noTopic : plain(key, 100)
}

const keyOf = (piece: Piece, index: number): string =>
  'slot' in piece ? piece.slot.key : index === 0 ? 'space before' : `space ${index}`
