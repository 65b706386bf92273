/** Compose a notification, see what would become of it, send it, and watch what does. */
import type { Accepted, IntentInput, Simulation } from '@carillon/contract'
import { FlaskConical } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../app/api.ts'
import { queryClient } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Notice } from '../../ui/problem.tsx'
import { useSave } from '../../ui/use-save.ts'
import { useTypes } from '../activity/use-types.ts'
import { type Draft, intentOf, mistakeIn } from './draft.ts'
import { IntentCodeCard } from './intent-code-card.tsx'
import { payloadFields, SendForm } from './send-form.tsx'
import { SentStory } from './sent-story.tsx'
import { SimulationView } from './simulation-view.tsx'
import { useDraft } from './use-draft.ts'

const FIELDS = [
  'notification_type',
  'payload',
  'reason',
  'producer',
  'template',
  'idempotency_key',
  'send_at',
  'expires_at',
]

type Result = { draft: Draft } & ({ simulation: Simulation } | { accepted: Accepted })

export default function SendPage() {
  const types = useTypes()
  const { draft, change, choose } = useDraft(types)
  const [result, setResult] = useState<Result>()
  const [isAsking, setAsking] = useState(false)
  const results = useRef<HTMLDivElement>(null)
  const maySend = useMay('intents:write')
  const fields = [...FIELDS, ...payloadFields(types?.find(({ name }) => name === draft.type))]
  const simulating = useSave(async (intent: IntentInput) => {
    setResult({ draft, simulation: await api.intents.simulate(intent) })
  }, fields)
  const sending = useSave(async (intent: IntentInput) => {
    setResult({ draft, accepted: await api.intents.send(intent) })
    void queryClient.invalidateQueries({ queryKey: ['records', 'list'] })
  }, fields)
  // Where the result is below the form, it comes into view.
  useEffect(() => {
    const top = results.current?.getBoundingClientRect().top ?? 0
    if (result && (top < 0 || top > innerHeight / 2)) results.current?.scrollIntoView()
  }, [result])

  const isValid = mistakeIn(draft.payload) === undefined
  const simulate = () => {
    if (!isValid) return
    sending.clear()
    void simulating.save(intentOf(draft))
  }
  const send = async () => {
    simulating.clear()
    await sending.save(intentOf(draft))
  }
  const problem = simulating.problem ?? sending.problem
  const refusal = !maySend && 'You need intents:write: ask an owner'
  return (
    <Page title="Send" lead="Try a notification: first see who would get what and why not, then send it.">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card>
          <div className="flex flex-col gap-4">
            {problem && <Notice tone="bad">{problem}</Notice>}
            <SendForm
              draft={draft}
              types={types ?? []}
              saving={{ errorOf: field => simulating.errorOf(field) ?? sending.errorOf(field) }}
              change={change}
              choose={choose}
              onSubmit={simulate}
            />
            <div className="sticky bottom-0 -mx-4 -mb-4 flex justify-end gap-2 rounded-b-card border-t border-border bg-surface px-4 py-3">
              <Button
                isBusy={simulating.isBusy}
                disabled={!isValid}
                refusal={refusal}
                onClick={simulate}
                title="Ctrl Enter in the payload"
              >
                Simulate
              </Button>
              <Button
                kind="primary"
                isBusy={sending.isBusy}
                disabled={!isValid}
                refusal={refusal}
                onClick={() => (draft.audience === 'tenant' ? setAsking(true) : void send())}
              >
                Send
              </Button>
            </div>
          </div>
        </Card>
        <div ref={results} className="flex min-w-0 scroll-mt-16 flex-col gap-4">
          {result === undefined ? (
            <Card>
              <Empty
                icon={FlaskConical}
                title="What would happen"
                text="Simulate shows for every person which messages would go out, when and through which provider, and why others would not. Nothing is stored or sent."
              />
            </Card>
          ) : 'accepted' in result ? (
            <SentStory key={result.accepted.notification_id} accepted={result.accepted} />
          ) : (
            <Card isFlush title="What would happen">
              {result.draft !== draft && (
                <div className="px-4 pt-4">
                  <Notice tone="info">
                    The form was changed since. Simulate again to see the difference.
                  </Notice>
                </div>
              )}
              <SimulationView simulation={result.simulation} />
            </Card>
          )}
          {isValid && <IntentCodeCard intent={intentOf(draft)} />}
        </div>
      </div>
      <Confirm
        title={`Send ${draft.type} to everybody?`}
        action="Send to everybody"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={send}
      >
        Every person of this tenant gets it, on every channel that is ticked and that they have not switched
        off.
      </Confirm>
    </Page>
  )
}
