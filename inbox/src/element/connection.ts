/** Ties the element to the inbox it shows: begins, follows changes of what the page says, and lets go. */
import type { InboxItem } from '@carillon/sdk/inbox'
import type { PropertyValues, ReactiveController } from 'lit'
import type { Inbox } from '../client/inbox-api.ts'
import { EMPTY, type InboxState } from '../client/state.ts'
import type { CarillonInbox } from './carillon-inbox.ts'
import { forgetInbox, type Lease, leaseInbox, type Source } from './shared-inbox.ts'

/** For the developer of the page, who sees it before anybody else does. */
export const UNCONFIGURED =
  '<carillon-inbox> does not know whose inbox to show. Give it token-url (an address of your backend that answers ' +
  '{"token": "…"}), a token, or the property refreshToken.'

/** Pages may set what is missing a moment later, before anybody has to be told. */
const PATIENCE_MS = 1_000

export class Connection implements ReactiveController {
  readonly #shell: CarillonInbox
  #source: Source | undefined
  #lease: Lease | undefined
  /** Whose saved filters are known. */
  #filtersOf: Inbox | undefined
  #unsubscribe: (() => void)[] = []
  /** Whether anything has come since it began. */
  #isReached = false
  #patience: ReturnType<typeof setTimeout> | undefined

  constructor(shell: CarillonInbox) {
    this.#shell = shell
    shell.addController(this)
  }

  get inbox(): Inbox | undefined {
    return this.#lease?.inbox
  }

  /** Of an element that was moved; one that is new waits for its attributes, which `follow` is told. */
  hostConnected(): void {
    if (this.#source !== undefined) this.#begin(this.#source)
  }

  hostDisconnected(): void {
    this.#end()
  }

  follow(changed: PropertyValues<CarillonInbox>): void {
    const { url, token, tokenUrl, refreshToken } = this.#shell
    const isElsewhere =
      this.#lease === undefined || changed.has('url') || changed.has('token') || changed.has('tokenUrl')
    if (!isElsewhere) {
      // Pages that render anew bring the same function as a new one each time: no reason to begin anew.
      if (changed.has('refreshToken')) this.#lease?.use(refreshToken)
      return
    }
    if (this.#source !== undefined && !isAnother(this.#source, this.#shell)) return
    const isFirst = this.#source === undefined
    this.#source = { url, token: token || undefined, tokenUrl: tokenUrl || undefined, refreshToken }
    this.#end()
    if (!isFirst) this.#forgetState()
    this.#begin(this.#source)
  }

  restart(): void {
    if (this.#source === undefined) return
    forgetInbox(this.#source)
    this.#end()
    this.#forgetState()
    this.#begin(this.#source)
  }

  #begin(source: Source): void {
    const shell = this.#shell
    clearTimeout(this.#patience)
    shell.isUnconfigured = false
    this.#isReached = false
    try {
      this.#lease = leaseInbox(source)
    } catch (error) {
      // An address that is none.
      this.#take({ ...EMPTY, connection: 'failed', problem: String(error) })
      return
    }
    if (this.#lease === undefined) {
      this.#patience = setTimeout(() => this.#complain(), PATIENCE_MS)
      return
    }
    const { inbox } = this.#lease
    this.#unsubscribe = [
      inbox.subscribe(state => this.#take(state)),
      inbox.onNew(items => this.#announce(items)),
    ]
    this.#take(inbox.state)
    void shell.attempt(inbox.start())
  }

  #end(): void {
    clearTimeout(this.#patience)
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe()
    this.#lease?.release()
    this.#lease = undefined
  }

  /** Nobody sees for a moment what is somebody else's. */
  #forgetState(): void {
    this.#take(EMPTY)
    this.#shell.savedFilters = []
  }

  #take(state: InboxState): void {
    const before = this.#shell.state
    this.#shell.state = state
    if (state.unread !== before.unread) this.#shell.tell('carillon-unread', { unread: state.unread })
    if (state.connection === 'ready') this.#isReached = true
    if (state.connection !== before.connection && state.problem !== '') void this.#report(state)
    if (state.connection === 'ready' && this.#filtersOf !== this.inbox) void this.#learnSavedFilters()
  }

  /** People see a calm sentence; whoever built the page learns what is wrong. */
  async #report({ connection, problem }: InboxState): Promise<void> {
    const isSetUpWrong = connection === 'offline' && !this.#isReached && navigator.onLine
    this.#shell.isUnreachable = isSetUpWrong
    this.#shell.tell('carillon-error', { connection, problem })
    if (connection === 'offline' && !isSetUpWrong) return
    const advice = isSetUpWrong ? await this.#diagnose() : ''
    console.warn(`<carillon-inbox> ${connection}: ${problem} ${advice}`)
  }

  async #diagnose(): Promise<string> {
    try {
      return await (await import('./diagnosis.ts')).diagnose(this.#shell.url)
    } catch {
      return ''
    }
  }

  #announce(items: InboxItem[]): void {
    if (this.#shell.mode === 'toast') void this.#shell.parts.notify(toasts => toasts.announce(items))
    this.#shell.attention?.ring()
  }

  async #learnSavedFilters(): Promise<void> {
    const { inbox } = this
    this.#filtersOf = inbox
    if (inbox === undefined || this.#shell.mode === 'toast') return
    try {
      const { data } = await inbox.client.savedFilters()
      if (inbox === this.inbox) this.#shell.savedFilters = data
    } catch (error) {
      // The tabs that everybody has are there all the same.
      this.#shell.tell('carillon-error', { error })
    }
  }

  #complain(): void {
    this.#shell.isUnconfigured = true
    console.warn(UNCONFIGURED)
  }
}

const isAnother = (one: Source, other: CarillonInbox): boolean =>
  one.url !== other.url ||
  one.token !== (other.token || undefined) ||
  one.tokenUrl !== (other.tokenUrl || undefined) ||
  (one.refreshToken === undefined) !== (other.refreshToken === undefined)
