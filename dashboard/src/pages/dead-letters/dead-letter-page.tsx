/** One letter: what failed and why, what to do about it, and everything that was tried. */
import type { DeadLetterDetail } from '@carillon/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api, wordsOf } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { AuditTrail } from '../../ui/audit-trail.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Id } from '../../ui/copy.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Card, Columns, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { PageSkeleton } from '../../ui/skeleton.tsx'
import { Status } from '../../ui/status.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Timeline } from '../../ui/timeline.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useKeys } from '../../ui/use-keys.ts'
import { momentsOf, Words } from './attempts.tsx'
import { LetterFacts } from './letter-facts.tsx'
import { LetterHint } from './letter-hint.tsx'
import { ReplayToDialog } from './replay-to-dialog.tsx'
import { useAddress } from './use-address.ts'
import { isOpen, nameOf, RESOLUTION_WORDS, storyOf } from './words.ts'

export default function DeadLetterPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const { data, error, refetch } = useQuery({
    queryKey: ['dead-letters', 'one', id],
    queryFn: ({ signal }) => api.deadLetters.get(id, { signal }),
    ...LIVE,
  })
  if (data !== undefined) return <Letter letter={data} />
  if (error === null) return <PageSkeleton />
  return (
    <Page title="Dead letter">
      <Card>
        <Problem error={error} onRetry={() => void refetch()} />
      </Card>
    </Page>
  )
}

function Letter({ letter }: { letter: DeadLetterDetail }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const mayWrite = useMay('dead_letters:write')
  const address = useAddress(letter)
  const [dialog, setDialog] = useState<'address' | 'ignore'>()
  const [isBusy, setBusy] = useState(false)
  const isWaiting = isOpen(letter)
  const refusal = !mayWrite && 'You need dead_letters:write for this: ask an owner.'
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['dead-letters'] })
  const record = letter.notification_id === null ? undefined : `/activity/${letter.notification_id}`
  const replayed = () => {
    setDialog(undefined)
    toast('It is sent again, with all its attempts.')
    void refresh()
  }
  const replay = async () => {
    setBusy(true)
    try {
      await api.deadLetters.replay(letter.id)
      replayed()
    } catch (error) {
      toast(wordsOf(error), { tone: 'bad' })
    } finally {
      setBusy(false)
    }
  }
  useKeys({
    r: () => void (isWaiting && mayWrite && !isBusy && replay()),
    e: () => void (record && navigate({ to: record })),
  })
  return (
    <Page
      title={nameOf(letter)}
      about={
        <>
          {letter.resolution === null ? (
            <Status status="open" />
          ) : (
            <Status status={letter.resolution} label={RESOLUTION_WORDS[letter.resolution]} />
          )}
          <Id value={letter.id} />
        </>
      }
      actions={
        <>
          {record && <LinkButton to={record}>Explain</LinkButton>}
          {isWaiting && (
            <>
              <Button refusal={refusal} onClick={() => setDialog('ignore')}>
                Ignore
              </Button>
              {letter.source_kind === 'route' && letter.channel !== 'in_app' && (
                <Button refusal={refusal} onClick={() => setDialog('address')}>
                  Replay to another address
                </Button>
              )}
              <Button kind="primary" refusal={refusal} isBusy={isBusy} onClick={() => void replay()}>
                Replay
              </Button>
            </>
          )}
        </>
      }
    >
      <Columns
        main={
          <>
            <Card>
              <div className="flex flex-col gap-3">
                <p className="text-lg break-words">
                  <bdi>{storyOf(letter)}</bdi>
                </p>
                <Words text={letter.failure_message || 'No message came with it.'} />
                <LetterHint letter={letter} isWaiting={isWaiting} />
              </div>
            </Card>
            <Tabs
              label="About the letter"
              tabs={[
                {
                  value: 'attempts',
                  title: 'What was tried',
                  content: (
                    <Card>
                      <Timeline label="What was tried" moments={momentsOf(letter)} />
                    </Card>
                  ),
                },
                {
                  value: 'payload',
                  title: 'Payload',
                  content: <JsonView value={letter.payload_json} />,
                },
                {
                  value: 'audit',
                  title: 'Audit log',
                  content: <AuditTrail type="dead_letter" id={letter.id} />,
                },
                { value: 'json', title: 'JSON', content: <JsonView value={letter} /> },
              ]}
            />
          </>
        }
        aside={<LetterFacts letter={letter} address={address} />}
      />
      {dialog === 'address' && (
        <ReplayToDialog
          letter={letter}
          address={address}
          onClose={() => setDialog(undefined)}
          onReplayed={replayed}
        />
      )}
      <Confirm
        title={`Ignore this letter about ${nameOf(letter)}?`}
        action="Ignore"
        isOpen={dialog === 'ignore'}
        onClose={() => setDialog(undefined)}
        onConfirm={async () => {
          await api.deadLetters.resolve(letter.id)
          toast('It is closed and will not be sent.')
          await refresh()
        }}
      >
        It is closed without being sent, and cannot be opened or replayed again.
      </Confirm>
    </Page>
  )
}
