/** Before many letters are replayed or ignored: how many, then how far it is, then how it went. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { api, wordsOf } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Notice } from '../../ui/problem.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { countMatching, type Progress, runBulk, type Target, type Verb } from './bulk.ts'

export interface Bulk {
  verb: Verb
  target: Target
  /** Which they are: "of this cause", "that match". */
  which: string
}

/** Ignoring more than this asks for the number to be typed, since nothing brings the letters back. */
const TYPED_ABOVE = 1000

const say = (count: number) => count.toLocaleString('en')
const letters = (count: number) => `${say(count)} ${count === 1 ? 'letter' : 'letters'}`

export function BulkDialog({ bulk, onClose }: { bulk: Bulk; onClose(): void }) {
  const { verb, target, which } = bulk
  const queryClient = useQueryClient()
  const [phase, setPhase] = useState<'asking' | 'running' | 'ended'>('asking')
  const [progress, setProgress] = useState<Progress>({ total: 0, done: 0, refusals: [] })
  const [problem, setProblem] = useState<string>()
  const [typed, setTyped] = useState('')
  const isStopped = useRef(false)
  const [isStopping, setStopping] = useState(false)
  const count = useQuery({
    queryKey: ['dead-letters', 'dry-run', verb, target],
    queryFn: ({ signal }) => countMatching(api.deadLetters, verb, target, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const total = count.data ?? 0
  const mustType = verb === 'ignore' && total > TYPED_ABOVE
  const close = () => {
    if (phase !== 'running') onClose()
  }
  const run = async () => {
    setPhase('running')
    setProgress({ total, done: 0, refusals: [] })
    try {
      setProgress(await runBulk(api.deadLetters, verb, target, total, setProgress, () => isStopped.current))
    } catch (error) {
      setProblem(wordsOf(error))
    } finally {
      setPhase('ended')
      void queryClient.invalidateQueries({ queryKey: ['dead-letters'] })
    }
  }
  const stop = () => {
    isStopped.current = true
    setStopping(true)
  }
  const action = verb === 'replay' ? 'Replay' : 'Ignore'
  const footers: Record<typeof phase, ReactNode> = {
    asking: (
      <>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind={verb === 'replay' ? 'primary' : 'danger'}
          disabled={total === 0 || (mustType && typed !== String(total))}
          onClick={() => void run()}
        >
          {total > 0 ? `${action} ${say(total)}` : action}
        </Button>
      </>
    ),
    running: (
      <Button onClick={stop} disabled={isStopping}>
        {isStopping ? 'Stopping after this step' : 'Stop'}
      </Button>
    ),
    ended: (
      <Button kind="primary" onClick={onClose}>
        Close
      </Button>
    ),
  }
  return (
    <Dialog title={`${action} the letters ${which}`} isOpen onClose={close} footer={footers[phase]}>
      <div className="flex flex-col gap-3">
        {phase === 'asking' &&
          (count.error ? (
            <Notice tone="bad">{wordsOf(count.error)}</Notice>
          ) : count.data === undefined ? (
            <Skeleton className="h-5 w-64" />
          ) : (
            <Question verb={verb} total={total} isById={'ids' in target} />
          ))}
        {phase === 'asking' && mustType && (
          <Field label={`Type ${total} to confirm`}>
            <Input
              value={typed}
              inputMode="numeric"
              autoComplete="off"
              onChange={event => setTyped(event.target.value)}
            />
          </Field>
        )}
        {phase !== 'asking' && (
          <ProgressBar
            label={verb === 'replay' ? 'Sent again' : 'Ignored'}
            value={progress.done + progress.refusals.length}
            max={progress.total}
          />
        )}
        {phase === 'ended' && (
          <Summary verb={verb} progress={progress} problem={problem} wasStopped={isStopped.current} />
        )}
      </div>
    </Dialog>
  )
}

function Question({ verb, total, isById }: { verb: Verb; total: number; isById: boolean }) {
  if (total === 0) return <p>None that can be sent again is left; somebody may have been faster.</p>
  return (
    <>
      <p className="text-lg">
        <b className="font-semibold tabular">{say(total)}</b>{' '}
        {verb === 'replay' ? 'would be sent again.' : 'would be closed without being sent.'}
      </p>
      <p className="text-muted">
        {verb === 'replay'
          ? 'Each gets all its attempts again and keeps its message id, so a receiver that knows it drops a repeat. What fails once more becomes a new letter.'
          : 'They stay readable until they are deleted, but they cannot be opened or replayed again.'}
        {!isById && verb === 'replay' && ' Letters about a webhook that is switched off are left out.'}
      </p>
    </>
  )
}

function Summary({
  verb,
  progress: { done, total, refusals },
  problem,
  wasStopped,
}: {
  verb: Verb
  progress: Progress
  problem: string | undefined
  wasStopped: boolean
}) {
  const left = total - done - refusals.length
  return (
    <>
      {problem && <Notice tone="bad">It ended early: {problem}</Notice>}
      <p>
        {letters(done)} {done === 1 ? 'was' : 'were'} {verb === 'replay' ? 'sent again' : 'ignored'}
        {wasStopped && left > 0 ? `, then you stopped; ${say(left)} are left` : ''}.
        {!wasStopped && !problem && left > 0 && ` ${say(left)} had been dealt with in the meantime.`}
      </p>
      {refusals.length > 0 && (
        <Notice tone="warn">
          {letters(refusals.length)} could not be changed:{' '}
          {[...new Set(refusals.map(wordsOf))].slice(0, 3).join(' ')}
        </Notice>
      )}
    </>
  )
}
