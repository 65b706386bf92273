/** Whether what is on the screen is up to date. */
import { CarillonConnectionError } from '@carillon/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { api } from '../app/api.ts'
import { LIVE } from '../app/queries.ts'
import { classes } from '../ui/classes.ts'

export function LiveMark() {
  // A page that asks for nothing by itself would not notice that the server is gone.
  useQuery({ queryKey: ['health'], queryFn: ({ signal }) => api.health.live({ signal }), ...LIVE })
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
