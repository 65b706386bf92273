/** Sends again everything that failed since a time, and shows how far that has come. */
import type { Webhook, WebhookRecovery } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { localTime, timeOf } from '../../ui/local-time.ts'
import { numberOf } from '../../ui/number-text.ts'
import { Notice, Problem } from '../../ui/problem.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { useSave } from '../../ui/use-save.ts'
import { refreshWebhooks } from './webhook-changes.ts'

interface RecoverDialogProps {
  webhook: Webhook
  isOpen: boolean
  onClose(): void
}

const DAY = 86_400_000

export function RecoverDialog({ webhook, isOpen, onClose }: RecoverDialogProps) {
  const [since, setSince] = useState(() => localTime(new Date(Date.now() - DAY)))
  const [rate, setRate] = useState('')
  const [started, setStarted] = useState<WebhookRecovery>()
  const saving = useSave(async () => {
    setStarted(await api.webhooks.recover(webhook.id, { since: timeOf(since), rate_limit: numberOf(rate) }))
    await refreshWebhooks()
  }, ['since', 'rate_limit'])
  const close = () => {
    setStarted(undefined)
    saving.clear()
    onClose()
  }
  return (
    <Dialog
      title="Send again what failed"
      isOpen={isOpen}
      onClose={close}
      footer={
        started ? (
          <Button kind="primary" onClick={close}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button
              kind="primary"
              isBusy={saving.isBusy}
              refusal={!webhook.is_active && 'Enable it first: it gets no events now'}
              onClick={() => void saving.save(undefined)}
            >
              Send again
            </Button>
          </>
        )
      }
    >
      {started ? (
        <Progress recovery={started} />
      ) : (
        <div className="flex flex-col gap-4">
          <p>
            Every delivery that failed since then is put into the queue again, with the same body and
            webhook-id, so that a receiver that remembers ids handles nothing twice.
          </p>
          {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
          <Field label="Failed since" help="In your time zone." error={saving.errorOf('since')}>
            <Input type="datetime-local" value={since} onChange={event => setSince(event.target.value)} />
          </Field>
          <Field
            label="Deliveries a minute"
            isOptional
            help="So that the receiver is not overrun. If left empty: as fast as it goes."
            error={saving.errorOf('rate_limit')}
          >
            <Input type="number" min={1} value={rate} onChange={event => setRate(event.target.value)} />
          </Field>
        </div>
      )}
    </Dialog>
  )
}

function Progress({ recovery: started }: { recovery: WebhookRecovery }) {
  const { data = started, error } = useQuery({
    queryKey: ['webhooks', started.webhook_id, 'recovery', started.id],
    queryFn: ({ signal }) => api.webhooks.recovery(started.webhook_id, started.id, { signal }),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : 1_000),
  })
  if (error) return <Problem error={error} />
  const done = data.delivered + data.failed
  if (data.matched === 0) return <Notice tone="info">Nothing had failed since then.</Notice>
  return (
    <div className="flex flex-col gap-3">
      <ProgressBar label="Sent again" value={done} max={data.matched} />
      <p className="tabular">
        {data.redelivered.toLocaleString('en')} put into the queue, {data.delivered.toLocaleString('en')}{' '}
        arrived
        {data.failed > 0 && (
          <span className="text-bad">, {data.failed.toLocaleString('en')} failed again</span>
        )}
        <span className="text-muted">, {(data.matched - done).toLocaleString('en')} to go</span>
      </p>
      {!isOver(data) && <p className="text-muted">You can close this; it goes on.</p>}
    </div>
  )
}

const isOver = ({ finished_at, delivered, failed, redelivered }: WebhookRecovery): boolean =>
  finished_at !== null && delivered + failed >= redelivered
