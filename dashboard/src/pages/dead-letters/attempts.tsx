/** The attempts of a letter as moments, with what each provider answered. */
import type { Attempt, AttemptOutcome, DeadLetterDetail } from '@carillon/contract'
import { Status } from '../../ui/status.tsx'
import { ShortTime, sayDuration } from '../../ui/time.tsx'
import type { Moment } from '../../ui/timeline.tsx'
import { RESOLUTION_WORDS } from './words.ts'

const OUTCOME_WORDS: Partial<Record<AttemptOutcome, string>> = {
  sent: 'was accepted',
  retry: 'failed and was to be tried again',
  rate_limited: 'was throttled',
  permanent: 'was refused for good',
  config: 'failed because of the settings',
  uncertain: 'got no answer',
  lost: 'was lost with its worker',
  postponed: 'was postponed',
}

const TONES: Partial<Record<AttemptOutcome, Moment['tone']>> = {
  sent: 'ok',
  retry: 'info',
  rate_limited: 'warn',
  uncertain: 'warn',
  postponed: 'warn',
  permanent: 'bad',
  config: 'bad',
  lost: 'bad',
}

export function momentsOf(letter: DeadLetterDetail): Moment[] {
  const moments = letter.attempts.map(momentOf)
  moments.push({
    at: letter.created_at,
    tone: 'bad',
    text: `Given up ${countText(letter)} and kept as a dead letter.`,
  })
  if (letter.resolved_at !== null && letter.resolution !== null)
    moments.push({
      at: letter.resolved_at,
      tone: letter.resolution === 'ignored' ? 'idle' : 'ok',
      text: `${RESOLUTION_WORDS[letter.resolution]}.`,
      ...(letter.resolved_by && { by: `By ${letter.resolved_by}.` }),
    })
  // A letter that was replayed shows what came after it, too.
  return moments.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

const countText = ({ final_attempt_count: count, max_attempts: most }: DeadLetterDetail) =>
  most > 0 ? `after ${count} of ${most} ${most === 1 ? 'attempt' : 'attempts'}` : 'without an attempt'

function momentOf(attempt: Attempt): Moment {
  const { attempt_no, outcome, provider, started_at, duration_ms } = attempt
  return {
    at: started_at,
    tone: TONES[outcome] ?? 'idle',
    text: (
      <>
        Attempt {attempt_no}
        {provider && (
          <>
            {' '}
            with <b className="font-medium">{provider}</b>
          </>
        )}{' '}
        {OUTCOME_WORDS[outcome] ?? `ended as ${outcome.replaceAll('_', ' ')}`}
        <span className="text-muted"> after {sayDuration(duration_ms)}</span>
      </>
    ),
    detail: <Answer attempt={attempt} />,
  }
}

function Answer({ attempt: { message, calls, worker, next_attempt_at, outcome } }: { attempt: Attempt }) {
  return (
    <div className="flex flex-col gap-2">
      <Words text={message || 'No message came with it.'} />
      {calls.length > 1 && (
        <ul aria-label="Providers that were called" className="flex flex-col gap-2">
          {calls.map((call, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: calls are history
            <li key={i} className="flex flex-col gap-1 border-l-2 border-border pl-3">
              <span className="flex flex-wrap items-center gap-2">
                <b className="font-medium">{call.provider}</b>
                <Status status={call.outcome} />
                <span className="text-sm text-muted tabular">{sayDuration(call.duration_ms)}</span>
              </span>
              <Words text={call.message} />
            </li>
          ))}
        </ul>
      )}
      <p className="text-sm text-muted">
        Outcome {outcome.replaceAll('_', ' ')}, by the worker {worker || 'unknown'}
        {next_attempt_at && (
          <>
            , next attempt at <ShortTime value={next_attempt_at} />
          </>
        )}
        .
      </p>
    </div>
  )
}

export function Words({ text }: { text: string }) {
  return (
    <pre
      dir="auto"
      className="rounded-control bg-bg px-3 py-2 font-mono text-code break-words whitespace-pre-wrap"
    >
      {text}
    </pre>
  )
}
