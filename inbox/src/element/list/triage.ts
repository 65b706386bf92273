/** What people do with rows: it happens at once, is announced, and can be undone. */
import type { InboxItem } from '@carillon/sdk'
import type { Inbox } from '../../client/inbox-api.ts'
import type { InboxState, TriageAction } from '../../client/state.ts'
import type { Language } from '../../locales/choose.ts'
import type { ListWords } from '../../locales/list-words.ts'
import { say, sayCount } from '../../locales/say.ts'
import type { CarillonInboxOverlay } from '../overlay/carillon-inbox-overlay.ts'
import { labelOf } from './buttons.ts'
import { NOTHING, type Selection, toggle } from './selection.ts'
import type { Times } from './times.ts'

/** What it needs of the list. */
export interface TriageHost {
  inbox: Inbox
  state: InboxState
  language: Language
  words: ListWords
  locale: string
  times: Times
  zone: string
  selection: Selection
  itemOf(id: string): InboxItem | undefined
  /** Moves on from rows that are about to go. */
  leave(ids: readonly string[]): void
  announce(text: string): void
  focus(): void
  overlay(): Promise<CarillonInboxOverlay>
}

export class Triage {
  readonly #list: TriageHost

  constructor(list: TriageHost) {
    this.#list = list
  }

  /** `opener` is where a menu appears, if the action needs one. */
  run(action: TriageAction, ids: readonly string[], opener: HTMLElement): void {
    const items = ids.map(id => this.#list.itemOf(id)).filter(item => item !== undefined)
    if (items.length === 0) return
    if (action === 'snooze') void this.#offerSnooze(ids, opener)
    else if (action === 'mute') this.#mute(items[0]!)
    else this.#act(ids, action)
  }

  async openMenu(item: InboxItem, opener: HTMLElement): Promise<void> {
    const [overlay, context, { openRowMenu }] = await this.#menus(opener)
    openRowMenu(overlay, context, item, {
      isSelected: this.#list.selection.ids.has(item.id),
      act: action => this.run(action, [item.id], opener),
      select: () => {
        this.#list.selection = toggle(this.#list.selection, item.id)
      },
    })
  }

  /** Opening a row is reading it. */
  read(item: InboxItem): void {
    if (!item.is_read) this.#do(this.#list.inbox.act([item.id], 'read'), '')
  }

  answer(item: InboxItem, id: string): void {
    const pressed = item.actions.find(action => action.id === id)
    if (pressed === undefined) return
    const { inbox, words } = this.#list
    this.#do(inbox.answer(item.id, id), say(words.answered, { label: labelOf(pressed) }))
  }

  undo(): void {
    const { inbox, state, words } = this.#list
    if (state.undoable !== undefined) this.#do(inbox.undo(), words.undid)
  }

  #act(ids: readonly string[], action: Exclude<TriageAction, 'snooze' | 'mute'>): void {
    if (action === 'done' || action === 'undone') this.#list.leave(ids)
    this.#letGo(ids)
    this.#do(this.#list.inbox.act([...ids], action), this.#did(action, ids.length))
  }

  #mute(item: InboxItem): void {
    if (item.thread === null) return
    this.#list.leave([item.id])
    this.#do(this.#list.inbox.mute(item), this.#did('mute', 1))
  }

  async #offerSnooze(ids: readonly string[], opener: HTMLElement): Promise<void> {
    const [overlay, context, { openSnoozeMenu }] = await this.#menus(opener)
    openSnoozeMenu(overlay, context, until => {
      this.#list.leave(ids)
      this.#letGo(ids)
      this.#do(this.#list.inbox.snooze([...ids], until), this.#did('snooze', ids.length))
    })
  }

  async #menus(opener: HTMLElement) {
    const { words, times, zone, language } = this.#list
    const [overlay, { menus }, parts] = await Promise.all([
      this.#list.overlay(),
      language.later(),
      import('../overlay/menus.ts'),
    ])
    return [overlay, { words, menus, times, zone, opener }, parts] as const
  }

  /** What was done to a selection ends it; the focus, which may be on the bar that goes, returns to the rows. */
  #letGo(ids: readonly string[]): void {
    if (!ids.some(id => this.#list.selection.ids.has(id))) return
    this.#list.selection = NOTHING
    this.#list.focus()
  }

  #did(action: TriageAction, count: number): string {
    const { words, locale } = this.#list
    return sayCount(locale, words.did[action], count)
  }

  /** What the server refuses is taken back by the inbox; here it is only said. */
  #do(doing: Promise<void>, announcement: string): void {
    doing.then(
      () => this.#list.announce(announcement),
      () => this.#list.announce(this.#list.words.refused),
    )
  }
}
