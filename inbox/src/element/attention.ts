/** Draws attention to what comes in, where the page wants it: a tone, and a number on the page's icon. Loaded only then. */
import type { ReactiveController } from 'lit'
import type { CarillonInbox } from './carillon-inbox.ts'
import type { FaviconBadge } from './favicon-badge.ts'

export class Attention implements ReactiveController {
  readonly #shell: CarillonInbox
  #badge: Promise<FaviconBadge> | undefined
  #shown = 0

  constructor(shell: CarillonInbox) {
    this.#shell = shell
    shell.addController(this)
  }

  /** Once, however many tabs show the inbox. */
  ring(): void {
    if (this.#shell.sound && this.#shell.inbox?.isLeader)
      void import('./sound.ts').then(({ playTone }) => playTone())
  }

  hostUpdated(): void {
    this.#show(this.#shell.faviconBadge ? this.#shell.state.unread : 0)
  }

  hostDisconnected(): void {
    this.#show(0)
  }

  #show(unread: number): void {
    if (unread === this.#shown) return
    this.#shown = unread
    this.#badge ??= import('./favicon-badge.ts').then(({ FaviconBadge }) => new FaviconBadge())
    void this.#badge.then(badge => badge.show(this.#shown))
  }
}
