/** useInbox(): the notification centre without markup, for those who draw their own. */
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { createInbox } from '../client/inbox.ts'
import type { Inbox, InboxOptions } from '../client/inbox-api.ts'
import { EMPTY, type InboxState } from '../client/state.ts'

export interface UsedInbox {
  inbox: Inbox
  state: InboxState
}

/** Begins anew when `url` or `token` change; of `refreshToken` the latest is asked. */
export function useInbox(options: InboxOptions): UsedInbox {
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })
  const { url, token } = options
  const inbox = useMemo(() => {
    const { refreshToken, ...rest } = latest.current
    const ask = refreshToken && { refreshToken: () => (latest.current.refreshToken ?? refreshToken)() }
    return createInbox({
      ...rest,
      ...(url !== undefined && { url }),
      ...(token !== undefined && { token }),
      ...ask,
    })
  }, [url, token])
  useEffect(() => {
    void inbox.start()
    return inbox.stop
  }, [inbox])
  const state = useSyncExternalStore(
    inbox.subscribe,
    () => inbox.state,
    () => EMPTY,
  )
  return { inbox, state }
}
