/**
 * <carillon-inbox-list>: the rows of a view, for the elements around it.
 *
 * To screen readers it is a list (one per group) whose items say which of how many they are, as most of them do not exist
 * in the document. It is no `feed`: few readers know that pattern, and those take over the arrow and page keys. It is no
 * `grid` or `listbox` either, since a row contains links and buttons. What has the focus in a row is its link, so that a
 * reader says its title and then, as its description, the rest. Whether a row is selected is the state of its checkbox.
 *
 * Keys work while the focus is inside (WCAG 2.1.4): a page may have keys of its own.
 */
import type { InboxItem } from '@carillon/sdk'
import { html, LitElement, nothing, type PropertyValues, type TemplateResult, unsafeCSS } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { type Group, groupRows } from '../../client/groups.ts'
import type { Inbox } from '../../client/inbox-api.ts'
import { EMPTY, type InboxState } from '../../client/state.ts'
import { ENGLISH, type Language } from '../../locales/choose.ts'
import type { ListWords } from '../../locales/list-words.ts'
import { sayCount } from '../../locales/say.ts'
import type { CarillonInboxOverlay } from '../overlay/carillon-inbox-overlay.ts'
import { loadOverlay } from '../overlay/load-overlay.ts'
import type { ProfileOf } from './actors.ts'
import { Interaction } from './interaction.ts'
import style from './list.css?inline'
import { everyMinute } from './minutes.ts'
import { neighbour } from './neighbour.ts'
import rowStyle from './row.css?inline'
import { renderSection, space } from './sections.ts'
import { keepOnly, NOTHING, type Selection } from './selection.ts'
import { skeleton } from './skeleton.ts'
import { createTimes, type Times } from './times.ts'
import { VirtualRows } from './virtual-rows.ts'

/** How near the end may be before more is asked for. */
const AHEAD_PX = 800

export class CarillonInboxList extends LitElement {
  static override properties = {
    inbox: { attribute: false },
    state: { attribute: false },
    language: { attribute: false },
    timeZone: { attribute: 'time-zone' },
    group: {},
    profileOf: { attribute: false },
    selection: { state: true },
    active: { state: true },
    now: { state: true },
    announcement: { state: true },
    bar: { state: true },
  }
  static override styles = [unsafeCSS(style), unsafeCSS(rowStyle)]

  declare inbox: Inbox
  declare state: InboxState
  declare language: Language
  /** Of the person; by default that of the browser. */
  declare timeZone: string | undefined
  declare group: 'none' | 'topic' | 'date'
  /** What the product knows about people, who are otherwise shown by their ids. */
  declare profileOf: ProfileOf | undefined
  declare selection: Selection
  /** The row that keys act on. */
  declare active: string | undefined
  declare now: number
  declare announcement: string
  /** Draws the bar for what is selected; loaded with the first selection. */
  declare bar: (() => TemplateResult) | undefined

  times!: Times
  /** The ids of all rows from top to bottom. */
  order: string[] = []
  readonly #interaction = new Interaction(this)
  readonly #rows = new VirtualRows(this, (...view) => this.#onView(...view))
  #items = new Map<string, InboxItem>()
  #groups: Group[] = []
  /** After which rows more was asked for: once, until the reader scrolls. */
  #askedAfter: InboxState['items'] | undefined

  constructor() {
    super()
    this.state = EMPTY
    this.language = ENGLISH
    this.group = 'none'
    this.selection = NOTHING
    this.now = Date.now()
    this.announcement = ''
    everyMinute(this, () => {
      this.now = Date.now()
    })
  }

  get words(): ListWords {
    return this.language.words.list
  }

  get locale(): string {
    return this.language.locale
  }

  get zone(): string {
    return this.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  }

  readonly itemOf = (id: string): InboxItem | undefined => this.#items.get(id)

  /** Puts the focus on the row that has or had it. */
  override focus(): void {
    if (this.active !== undefined) this.moveTo(this.active)
  }

  moveTo(id: string): void {
    this.active = id
    this.#rows.reveal(id, true)
  }

  leave(ids: readonly string[]): void {
    const next = neighbour(this.order, this.active, id => !ids.includes(id))
    if (next !== undefined && this.active !== undefined && ids.includes(this.active)) this.moveTo(next)
  }

  overlay(): Promise<CarillonInboxOverlay> {
    return loadOverlay(this.renderRoot)
  }

  announce(text: string): void {
    // Saying the same again is no change, unless something else is different.
    this.announcement = text === this.announcement ? `${text}\u00a0` : text
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('language') || changed.has('timeZone') || this.times === undefined)
      this.times = createTimes(this.locale, this.zone)
    if (this.selection.ids.size > 0 && this.bar === undefined) void this.#loadBar()
    const before = changed.get('state') as InboxState | undefined
    if (before !== undefined) this.now = Date.now()
    const hasOtherItems = changed.has('state') && before?.items !== this.state.items
    if (hasOtherItems || changed.has('group') || changed.has('timeZone')) this.#arrange()
    const loaded = this.state.items.length - (before?.items.length ?? 0)
    if (before?.isLoadingMore && !this.state.isLoadingMore && loaded > 0)
      this.announce(sayCount(this.locale, this.words.loaded, loaded))
  }

  #arrange(): void {
    const hadFocus = this.shadowRoot?.activeElement?.closest('.row') != null
    const earlier = this.order
    const { items } = this.state
    this.#groups =
      this.group === 'none'
        ? [{ key: '', items: [...items], unread: 0 }]
        : groupRows(items, this.group, this.zone)
    this.#rows.arrange(this.#groups, this.group !== 'none')
    this.#items = new Map(this.state.items.map(item => [item.id, item]))
    this.order = this.#groups.flatMap(({ items }) => items.map(({ id }) => id))
    this.selection = keepOnly(this.selection, this.order)
    if (this.active !== undefined && this.#items.has(this.active)) return
    this.active = neighbour(earlier, this.active, id => this.#items.has(id)) ?? this.order[0]
    if (hadFocus && this.active !== undefined) this.moveTo(this.active)
  }

  #onView(distanceToEnd: number, isScroll: boolean): void {
    this.renderRoot.querySelector<CarillonInboxOverlay>('carillon-inbox-overlay')?.placeAgain()
    const { hasMore, isLoadingMore, items } = this.state
    if (!hasMore || isLoadingMore || distanceToEnd > AHEAD_PX) return
    if (this.#askedAfter === items && !isScroll) return
    this.#askedAfter = items
    this.inbox.loadMore().catch(() => this.announce(this.words.refused))
  }

  protected override render(): TemplateResult {
    const { connection, items, hasMore } = this.state
    const isLoading = connection === 'loading' && items.length === 0
    const { sections, after } = this.#rows.drawing([this.active])
    const { onClick, onKey } = this.#interaction
    return html`<div @click=${onClick} @auxclick=${onClick} @keydown=${onKey} class=${this.selection.ids.size > 0 ? 'selecting' : ''}>
        <div class="rows" aria-busy=${isLoading || this.state.isLoadingMore}>
          ${
            isLoading
              ? skeleton(6)
              : repeat(
                  sections,
                  ({ group }) => this.#groups[group]!.key,
                  section => renderSection(this, this.#groups[section.group]!, section),
                )
          }
          ${space(after)}
        </div>
        ${hasMore && !isLoading ? skeleton(3) : nothing} ${this.selection.ids.size > 0 ? this.bar?.() : nothing}
      </div>
      <div class="unseen" role="status">${this.announcement}</div>`
  }

  async #loadBar(): Promise<void> {
    const { createBulkBar } = await import('./bulk-bar.ts')
    this.bar ??= createBulkBar(this)
  }
}

if (customElements.get('carillon-inbox-list') === undefined)
  customElements.define('carillon-inbox-list', CarillonInboxList)
