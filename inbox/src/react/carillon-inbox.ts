/** <CarillonInbox>: the element with its attributes as props and its events as callbacks. */
import type { InboxItem } from '@carillon/sdk/inbox'
import { type CSSProperties, createElement, type ReactElement, useEffect, useRef } from 'react'

export interface CarillonInboxProps {
  /** Where Carillon answers. */
  url: string
  /** A user token, made by your backend. */
  token?: string
  /** An address of your backend that answers {"token": "…"} for whoever is signed in. */
  tokenUrl?: string
  refreshToken?: () => Promise<string>
  mode?: 'bell' | 'page' | 'toast'
  theme?: 'auto' | 'light' | 'dark'
  locale?: string
  group?: 'none' | 'topic' | 'date'
  sound?: boolean
  faviconBadge?: boolean
  /** A row was opened; `event.preventDefault()` keeps the element from going there. */
  onOpen?: (item: InboxItem, event: CustomEvent) => void
  onUnread?: (unread: number, event: CustomEvent) => void
  onError?: (detail: unknown, event: CustomEvent) => void
  id?: string
  className?: string
  style?: CSSProperties
}

/** A server renders the empty tag; the browser loads the element and fills it. */
export function CarillonInbox(props: CarillonInboxProps): ReactElement {
  const { url, token, tokenUrl, refreshToken, mode, theme, locale, group, sound, faviconBadge } = props
  const { id, className, style } = props
  const element = useRef<HTMLElement>(null)
  const latest = useRef(props)

  useEffect(() => {
    latest.current = props
  })
  useEffect(() => {
    void import('../carillon-inbox.ts')
  }, [])
  // Not as attributes: a token does not belong into markup, and a function cannot be in it.
  const refreshes = refreshToken !== undefined
  useEffect(() => {
    const ask = refreshes ? () => latest.current.refreshToken!() : undefined
    Object.assign(element.current!, { token, refreshToken: ask })
  }, [token, refreshes])
  useEffect(() => listen(element.current!, () => latest.current), [])

  return createElement('carillon-inbox', {
    ref: element,
    id,
    style,
    // Of an element that it does not know, React 18 writes className as it is.
    class: className,
    url,
    'token-url': tokenUrl,
    mode,
    theme,
    locale,
    group,
    sound: sound ? '' : undefined,
    'favicon-badge': faviconBadge ? '' : undefined,
  })
}

function listen(element: HTMLElement, props: () => CarillonInboxProps): () => void {
  const ending = new AbortController()
  const on = (name: string, call: (event: CustomEvent) => void) =>
    element.addEventListener(name, event => call(event as CustomEvent), { signal: ending.signal })
  on('carillon-open', event => props().onOpen?.(event.detail.item, event))
  on('carillon-unread', event => props().onUnread?.(event.detail.unread, event))
  on('carillon-error', event => props().onError?.(event.detail, event))
  return () => ending.abort()
}
