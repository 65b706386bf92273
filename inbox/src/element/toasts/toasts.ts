/** Short notices at the edge: what has just come in, and what was just done and can be undone. Loaded with the first. */
import type { InboxItem } from '@carillon/sdk/inbox'
import { html, nothing, type ReactiveController, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { Undoable } from '../../client/state.ts'
import { sayCount } from '../../locales/say.ts'
import type { CarillonInbox } from '../carillon-inbox.ts'
import * as icons from '../icons.ts'
import { pageAddress } from '../list/page-address.ts'
import { addStyles } from '../styles.ts'
import { Countdown } from './countdown.ts'
import style from './toasts.css?inline'

const STAY_MS = 6_000
const MAX_SHOWN = 3

interface Toast {
  key: unknown
  countdown: Countdown
  item?: InboxItem
  undoable?: Undoable
  text?: string
}

export class Toasts implements ReactiveController {
  readonly #shell: CarillonInbox
  #toasts: Toast[] = []
  #undoable: Undoable | undefined

  constructor(shell: CarillonInbox) {
    this.#shell = shell
    addStyles(shell.renderRoot, style)
    shell.addController(this)
  }

  hostUpdate(): void {
    const { undoable } = this.#shell.state
    if (undoable === this.#undoable) return
    this.#remove(this.#undoable)
    this.#undoable = undoable
    if (undoable !== undefined && this.#shell.mode !== 'toast') this.#add(undoable, { undoable })
  }

  hostDisconnected(): void {
    for (const { key } of [...this.#toasts]) this.#remove(key)
  }

  announce(items: readonly InboxItem[]): void {
    for (const item of items) {
      this.#remove(item.id)
      this.#add(item.id, { item })
    }
    this.#shell.requestUpdate()
  }

  say(text: string): void {
    this.#remove('said')
    this.#add('said', { text })
    this.#shell.requestUpdate()
  }

  render(): TemplateResult {
    const shown = this.#toasts.slice(-MAX_SHOWN)
    const more = this.#toasts.length - shown.length
    const { words, language } = this.#shell
    // What is read aloud has to be there before it changes, which what is shown only for a while is not.
    return html`<div class="unseen" role="status">${this.#spoken(shown.at(-1))}</div>
      <div class="toasts" part="toasts" popover=${this.#shell.mode === 'toast' ? 'manual' : nothing}>
      ${more > 0 ? html`<p class="more">${sayCount(language.locale, words.more, more)}</p>` : nothing}
      ${repeat(
        shown,
        ({ key }) => key,
        toast => this.#renderToast(toast),
      )}
    </div>`
  }

  #renderToast(toast: Toast): TemplateResult {
    const { pause, resume } = toast.countdown
    return html`<div class="toast" part="toast" @pointerenter=${pause} @pointerleave=${resume} @focusin=${pause}
      @focusout=${resume} @keydown=${(event: KeyboardEvent) => this.#leave(event, toast)}>
      ${toast.item === undefined ? this.#renderDone(toast) : this.#renderItem(toast.item)}
      <button class="icon small" part="control" type="button" aria-label=${this.#shell.words.dismiss}
        title=${this.#shell.words.dismiss} @click=${() => this.#dismiss(toast.key)}>${icons.cross()}</button>
    </div>`
  }

  /** What was done to rows, their list says itself. */
  #spoken(toast: Toast | undefined): string {
    return toast?.undoable === undefined ? this.#textOf(toast) : ''
  }

  #textOf(toast: Toast | undefined): string {
    if (toast?.item !== undefined) return [toast.item.title, toast.item.message].filter(Boolean).join('. ')
    if (toast?.undoable === undefined) return toast?.text ?? ''
    const { action, count } = toast.undoable
    return sayCount(this.#shell.language.locale, this.#shell.language.words.list.did[action], count)
  }

  #renderDone(toast: Toast): TemplateResult {
    const { words, inbox } = this.#shell
    if (toast.undoable === undefined) return html`<p>${toast.text}</p>`
    return html`<p>${this.#textOf(toast)}</p>
      <button class="plain" part="control undo" type="button" @click=${() => this.#shell.attempt(inbox!.undo())}>
        ${words.undo}</button>`
  }

  #renderItem(item: InboxItem): TemplateResult {
    return html`<a class="news" part="toast-link" href=${pageAddress(item.url) ?? nothing}
      role=${pageAddress(item.url) === undefined ? 'button' : nothing} tabindex="0"
      @click=${(event: Event) => this.#open(event, item)}>
      <strong><bdi>${item.title}</bdi></strong>${item.message === '' ? nothing : html`<span><bdi>${item.message}</bdi></span>`}</a>`
  }

  #open(event: Event, item: InboxItem): void {
    if (!this.#shell.announceOpening(item)) event.preventDefault()
    this.#dismiss(item.id)
  }

  #leave(event: KeyboardEvent, { key, item }: Toast): void {
    if (event.key === 'Escape') {
      this.#dismiss(key)
      event.preventDefault()
      event.stopPropagation()
    } else if (
      event.key === 'Enter' &&
      item !== undefined &&
      event.target instanceof HTMLAnchorElement &&
      !event.target.href
    )
      event.target.click()
  }

  #add(key: unknown, toast: Omit<Toast, 'key' | 'countdown'>): void {
    this.#toasts.push({ ...toast, key, countdown: new Countdown(STAY_MS, () => this.#dismiss(key)) })
  }

  #remove(key: unknown): void {
    const gone = this.#toasts.find(toast => toast.key === key)
    gone?.countdown.cancel()
    this.#toasts = this.#toasts.filter(toast => toast !== gone)
  }

  #dismiss(key: unknown): void {
    this.#remove(key)
    this.#shell.requestUpdate()
  }

  /** A popover is above everything else on the page, and must be shown to be so. */
  hostUpdated(): void {
    if (this.#shell.mode !== 'toast') return
    this.#shell.renderRoot.querySelector<HTMLElement>('.toasts')?.togglePopover(this.#toasts.length > 0)
  }
}
