/** Why nothing goes through a provider at the moment, and when it is tried again. */
import type { Provider } from '@carillon/contract'
import { Notice } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'

export function BreakerNotice({ provider }: { provider: Provider }) {
  const { is_active, source, breaker } = provider
  if (source === 'environment')
    return (
      <Notice tone="info">
        This provider comes from the environment of the server. It serves tenants that have none of their own
        for the channel, and can only be changed there.
      </Notice>
    )
  if (!is_active)
    return <Notice tone="info">It is switched off: no message goes to it until it is switched on.</Notice>
  if (breaker.state === 'closed') return null
  return (
    <Notice tone={breaker.state === 'open' ? 'bad' : 'warn'}>
      {breaker.state === 'open'
        ? 'It is paused, because it failed again and again. Messages go to the next provider of the channel, or wait.'
        : 'It failed again and again, and is being tried with a few messages now.'}{' '}
      {breaker.retry_at && (
        <>
          Tried again: <Time value={breaker.retry_at} />.
        </>
      )}
      {breaker.last_error && <span className="mt-1 block font-mono text-code">{breaker.last_error}</span>}
    </Notice>
  )
}
