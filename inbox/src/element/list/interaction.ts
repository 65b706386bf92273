/** Clicks and keys, wherever in the list they happen. */
import type { InboxItem } from '@carillon/sdk'
import type { TriageAction } from '../../client/state.ts'
import { sayCount } from '../../locales/say.ts'
import { type Command, commandOf } from './keys.ts'
import { extend, NOTHING, selectAll, toggle } from './selection.ts'
import { Triage, type TriageHost } from './triage.ts'

export interface InteractionHost extends TriageHost, EventTarget {
  order: readonly string[]
  active: string | undefined
  moveTo(id: string): void
}

export class Interaction {
  readonly #list: InteractionHost
  readonly #triage: Triage

  constructor(list: InteractionHost) {
    this.#list = list
    this.#triage = new Triage(list)
  }

  readonly onClick = (event: MouseEvent): void => {
    const target = (event.target as Element).closest<HTMLElement>('[data-do]')
    const item = this.#itemAt(event.target as Element)
    if (item !== undefined) this.#list.active = item.id
    if (target === null) return
    const what = target.dataset.do!
    if (item === undefined) this.#onBar(what as TriageAction, target)
    else if (event.shiftKey && (what === 'open' || what === 'select')) this.#extendTo(item.id, event)
    else this.#onRow(what, item, target, event)
  }

  readonly onKey = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement
    if (event.defaultPrevented || event.isComposing || isTextField(target)) return
    const command = commandOf(event)
    if (command === undefined) return
    // Without a selection, Escape belongs to what is around the list.
    if (command === 'clear' && this.#list.selection.ids.size === 0) return
    event.preventDefault()
    this.#run(command, target)
  }

  #onBar(what: TriageAction | 'select-all' | 'clear', target: HTMLElement): void {
    if (what === 'select-all' || what === 'clear') this.#run(what, target)
    else this.#triage.run(what, [...this.#list.selection.ids], target)
  }

  #onRow(what: string, item: InboxItem, target: HTMLElement, event: MouseEvent): void {
    if (what === 'open') this.#open(item, event)
    // Only links have a use for other mouse buttons.
    else if (event.type !== 'click') return
    else if (what === 'select') this.#list.selection = toggle(this.#list.selection, item.id)
    else if (what === 'more') void this.#triage.openMenu(item, target)
    else if (what === 'answer') this.#triage.answer(item, target.dataset.answer!)
    else this.#triage.run(what as TriageAction, [item.id], target)
  }

  /** A page that has its own way to show something prevents the default of the event. */
  #open(item: InboxItem, event: MouseEvent): void {
    if (event.type === 'auxclick' && event.button !== 1) return
    this.#triage.read(item)
    const opening = new CustomEvent('carillon-open', {
      detail: { item },
      bubbles: true,
      composed: true,
      cancelable: true,
    })
    if (!this.#list.dispatchEvent(opening)) event.preventDefault()
  }

  #extendTo(id: string, event: MouseEvent): void {
    event.preventDefault()
    const { selection, order, active } = this.#list
    this.#list.selection = extend(selection, order, active ?? id, id)
  }

  #run(command: Command, target: HTMLElement): void {
    const { order, words, locale } = this.#list
    if (command === 'next' || command === 'extend-next') this.#step(1, command === 'extend-next')
    else if (command === 'previous' || command === 'extend-previous')
      this.#step(-1, command === 'extend-previous')
    else if (command === 'first' || command === 'last')
      this.#goTo(command === 'first' ? order[0] : order.at(-1))
    else if (command === 'select') this.#select(toggle(this.#list.selection, this.#list.active ?? ''))
    else if (command === 'select-all') this.#select(selectAll(order))
    else if (command === 'clear') this.#select(NOTHING)
    else if (command === 'undo') this.#triage.undo()
    else if (command === 'help') void this.#help()
    else if (command === 'filter')
      this.#list.dispatchEvent(new CustomEvent('carillon-focus-filter', { bubbles: true, composed: true }))
    else this.#triageSelected(command, target)
    if (command.startsWith('select') || command.startsWith('extend'))
      this.#list.announce(sayCount(locale, words.selected, this.#list.selection.ids.size))
  }

  async #help(): Promise<void> {
    const [overlay, { menus }, { openShortcuts }] = await Promise.all([
      this.#list.overlay(),
      this.#list.language.later(),
      import('../overlay/shortcuts.ts'),
    ])
    openShortcuts(overlay, menus)
  }

  /** Of several that differ, what the first is not yet becomes of all. A thread is muted one at a time. */
  #triageSelected(command: 'done' | 'read' | 'save' | 'mute' | 'snooze', target: HTMLElement): void {
    const { selection, active } = this.#list
    const ids = selection.ids.size > 0 && command !== 'mute' ? [...selection.ids] : [active ?? '']
    const item = this.#list.itemOf(ids[0]!)
    if (item === undefined) return
    const is = { done: item.done_at !== null, read: item.is_read, save: item.saved_at !== null }
    const opposites = { done: 'undone', read: 'unread', save: 'unsave' } as const
    const isToggle = command === 'done' || command === 'read' || command === 'save'
    this.#triage.run(isToggle && is[command] ? opposites[command] : command, ids, target)
  }

  #select(selection: TriageHost['selection']): void {
    const hadBar = this.#list.selection.ids.size > 0
    this.#list.selection = selection
    // The bar goes, and with it what may have had the focus.
    if (hadBar && selection.ids.size === 0) this.#goTo(this.#list.active)
  }

  #step(by: 1 | -1, isExtending: boolean): void {
    const { order, active, selection } = this.#list
    const to = order[order.indexOf(active ?? '') + by]
    if (to === undefined) return
    if (isExtending) this.#list.selection = extend(selection, order, active ?? to, to)
    this.#goTo(to)
  }

  #goTo(id: string | undefined): void {
    if (id !== undefined) this.#list.moveTo(id)
  }

  #itemAt(target: Element): InboxItem | undefined {
    const id = target.closest<HTMLElement>('.row')?.dataset.key
    return id === undefined ? undefined : this.#list.itemOf(id)
  }
}

/** Checkboxes need no letters. */
function isTextField(target: HTMLElement): boolean {
  return target.matches('input:not([type=checkbox]), textarea, select') || target.isContentEditable
}
