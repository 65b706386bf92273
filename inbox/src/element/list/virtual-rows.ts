/**
 * Draws only the rows near the reader. Heights differ and are known once a row was drawn, so what was guessed is corrected
 * without anything moving under the reader’s eyes; the same goes for rows that come in above.
 */
import type { LitElement, ReactiveController } from 'lit'
import type { Group } from '../../client/groups.ts'
import { type Drawing, draw, type Layout, layOut, offsetsOf, type Slot, slotAt } from './layout.ts'
import { Scroller } from './scroller.ts'

const OVERSCAN_PX = 300
const GUESSED_ROW_PX = 84
const GUESSED_HEADING_PX = 36

/** A row that was visible, and how far below the upper edge. */
interface Anchor {
  key: string
  /** A row that an event moved elsewhere is no place to hold on to. */
  lastEventAt: string
  distance: number
}

export class VirtualRows implements ReactiveController {
  layout: Layout = layOut([], false, () => 0)
  readonly #host: LitElement
  readonly #onView: (distanceToEnd: number, isScroll: boolean) => void
  readonly #resized = new ResizeObserver(([entry]) => this.#onWidth(entry!.contentRect.width))
  readonly #heights = new Map<string, number>()
  #places = new Map<string, number>()
  #guess = GUESSED_ROW_PX
  #isGuess = true
  #width = 0
  #scroller: Scroller | undefined
  #range: readonly [number, number] = [0, 9]
  #anchors: Anchor[] = []
  #moved = false
  #reveal: { key: string; focus: boolean } | undefined

  /** `onView` is told how far it is to the end of the rows, whenever that may have changed. */
  constructor(host: LitElement, onView: (distanceToEnd: number, isScroll: boolean) => void) {
    this.#host = host
    this.#onView = onView
    host.addController(this)
  }

  hostConnected(): void {
    this.#resized.observe(this.#host)
  }

  hostDisconnected(): void {
    this.#resized.disconnect()
    this.#follow(undefined)
  }

  arrange(groups: readonly Group[], hasHeadings: boolean): void {
    this.layout = layOut(groups, hasHeadings, this.#heightOf)
    this.#places = new Map(this.layout.slots.map(({ key }, index) => [key, index]))
    this.#range = this.#rangeNow()
    this.#moved = true
  }

  drawing(keptKeys: readonly (string | undefined)[]): Drawing {
    const kept = keptKeys.map(key => this.#places.get(key ?? '')).filter(index => index !== undefined)
    return draw(this.layout, this.#range, kept)
  }

  /** Scrolls no further than needed. The row has to be among those that are kept. */
  reveal(key: string, focus: boolean): void {
    this.#reveal = { key, focus }
    this.#host.requestUpdate()
  }

  hostUpdated(): void {
    if (this.#content === null) return
    if (this.#scroller === undefined) this.#follow(new Scroller(this.#host))
    const isNews = this.#measure()
    if (isNews || this.#moved) this.#holdOn()
    this.#moved = false
    this.#showRevealed(isNews)
    this.#look(false)
  }

  get #content(): HTMLElement | null {
    return this.#host.renderRoot.querySelector('.rows')
  }

  readonly #heightOf = ({ key, item }: Slot): number =>
    this.#heights.get(key) ?? (item === undefined ? GUESSED_HEADING_PX : this.#guess)

  /** True if anything is of another height than it was thought to be. */
  #measure(): boolean {
    let isNews = false
    for (const element of this.#content!.querySelectorAll<HTMLElement>('[data-key]')) {
      const { height } = element.getBoundingClientRect()
      const key = element.dataset.key!
      if (height === 0 || Math.abs(height - (this.#heights.get(key) ?? 0)) < 0.1) continue
      this.#heights.set(key, height)
      isNews = true
    }
    if (!isNews) return false
    if (this.#isGuess) this.#learn()
    this.layout = { ...this.layout, offsets: offsetsOf(this.layout.slots, this.#heightOf) }
    return true
  }

  /** Once and not with every row, since each lesson makes the scrollbar move. */
  #learn(): void {
    const rows = this.layout.slots.filter(({ key, item }) => item !== undefined && this.#heights.has(key))
    if (rows.length === 0) return
    this.#guess = rows.reduce((sum, { key }) => sum + this.#heights.get(key)!, 0) / rows.length
    this.#isGuess = false
    this.#host.requestUpdate()
  }

  /** At the top, what is new is meant to be seen; further down it must not push away what is being read. */
  #holdOn(): void {
    const { top } = this.#scroller!.view(this.#content!)
    if (top <= 0) return
    const { slots, offsets } = this.layout
    for (const { key, lastEventAt, distance } of this.#anchors) {
      const index = this.#places.get(key)
      if (index === undefined || slots[index]!.item!.last_event_at !== lastEventAt) continue
      const error = offsets[index]! - distance - top
      if (Math.abs(error) >= 1) this.#scroller!.by(error)
      return
    }
  }

  #showRevealed(isNews: boolean): void {
    if (this.#reveal === undefined) return
    const { key, focus } = this.#reveal
    const element = this.#content!.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)
    element?.scrollIntoView({ block: 'nearest', behavior: 'instant' })
    if (focus) element?.querySelector<HTMLElement>('.open')?.focus({ preventScroll: true })
    // What is drawn there now may turn out to have other heights.
    if (!isNews || element === null) this.#reveal = undefined
  }

  #rangeNow(): readonly [number, number] {
    const view = this.#scroller === undefined ? { top: 0, bottom: 0 } : this.#scroller.view(this.#content!)
    const { offsets } = this.layout
    return [slotAt(offsets, view.top - OVERSCAN_PX), slotAt(offsets, view.bottom + OVERSCAN_PX)]
  }

  #look(isScroll: boolean): void {
    const { slots, offsets } = this.layout
    const { top, bottom } = this.#scroller!.view(this.#content!)
    this.#anchors = slots
      .slice(slotAt(offsets, top), slotAt(offsets, bottom) + 1)
      .filter(({ item }) => item !== undefined)
      .map(({ key, item }) => {
        const distance = offsets[this.#places.get(key)!]! - top
        return { key, lastEventAt: item!.last_event_at, distance }
      })
    const range = this.#rangeNow()
    if (range.join() !== this.#range.join()) {
      this.#range = range
      this.#host.requestUpdate()
    }
    this.#onView(offsets.at(-1)! - bottom, isScroll)
  }

  readonly #onScroll = (): void => this.#look(true)

  #follow(scroller: Scroller | undefined): void {
    for (const source of this.#scroller?.sources ?? []) source.removeEventListener('scroll', this.#onScroll)
    this.#scroller = scroller
    for (const source of scroller?.sources ?? [])
      source.addEventListener('scroll', this.#onScroll, { passive: true })
  }

  /** Lines break elsewhere, so nothing that was measured holds. It may also have been put elsewhere. */
  #onWidth(width: number): void {
    if (width === this.#width) return
    this.#width = width
    this.#heights.clear()
    this.#isGuess = true
    this.#moved = true
    this.#follow(undefined)
    this.#host.requestUpdate()
  }
}
