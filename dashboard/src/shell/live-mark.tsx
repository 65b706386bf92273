/** Whether what is on the screen is up to date. */
import { CarillonConnectionError } from '@carillon/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { classes } from '../ui/classes.ts'

export function LiveMark() {
  const cache = useQueryClient().getQueryCache()
  const isCut = useSyncExternalStore(
    listener => cache.subscribe(listener),
    () => cache.getAll().some(({ state }) => state.error instanceof CarillonConnectionError),
  )
  return (
    <span
      role="status"
      title={
        isCut ? 'The server does not answer; what you see may be old.' : 'What you see is kept up to date.'
      }
      className={classes('flex items-center gap-1.5 text-sm', isCut ? 'text-bad' : 'text-muted')}
    >
      <span
        aria-hidden="true"
        className={classes('size-2 rounded-full', isCut ? 'border-2 border-bad' : 'bg-ok')}
      />
      <span className={isCut ? '' : 'max-md:sr-only'}>{isCut ? 'Offline' : 'Live'}</span>
    </span>
  )
}
