/** The tenant's own server that is asked who may see what. */
import type { VisibilityCheck } from '@carillon/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, isProblem } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Command } from '../../ui/copy.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { DurationInput } from '../../ui/duration-input.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice, Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSave } from '../../ui/use-save.ts'

export function VisibilityTab() {
  const { data, error, refetch } = useQuery({
    queryKey: ['visibility-check'],
    // That there is none is an answer too.
    queryFn: ({ signal }) =>
      api.visibilityCheck.get({ signal }).catch(problem => {
        if (isProblem(problem, 404)) return null
        throw problem
      }),
  })
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton className="h-64 w-full" />
  return <CheckForm key={data?.updated_at ?? 'none'} check={data} />
}

function CheckForm({ check }: { check: VisibilityCheck | null }) {
  const may = useMay('topics:write')
  const queryClient = useQueryClient()
  const [url, setUrl] = useState(check?.url ?? '')
  const [timeout, setTimeout] = useState<number | null>(check?.timeout_ms ?? 2000)
  const [isDeleting, setDeleting] = useState(false)
  const secret = queryClient.getQueryData<string>(['visibility-check-secret'])
  const refusal = !may && 'You need topics:write: ask an owner.'
  const saving = useSave(async () => {
    const after = await api.visibilityCheck.put({ url: url.trim(), timeout_ms: timeout ?? 2000 })
    // Shown this once, and only as long as the page is open.
    if (after.secret !== null) queryClient.setQueryData(['visibility-check-secret'], after.secret)
    await queryClient.invalidateQueries({ queryKey: ['visibility-check'] })
    toast('The visibility check is saved.')
  }, ['url', 'timeout_ms'])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void saving.save(undefined)
  }
  return (
    <Card isFlush>
      <Section
        title="Visibility check"
        about={
          <>
            Before people are told of an event, or subscribe to a thread, your server is asked which of them
            may see it. Without one, everybody who is told may see everything.
          </>
        }
      >
        <form onSubmit={submit} className="flex flex-col gap-4">
          {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
          {secret !== undefined && (
            <div className="flex flex-col gap-2">
              <Notice tone="warn">This secret signs every question. It is shown only now: store it.</Notice>
              <Command text={secret} />
            </div>
          )}
          <Field
            label="Address"
            error={saving.errorOf('url')}
            help={'Asked with {"topic", "thread", "event_id", "user_ids"}; answers {"visible": [user ids]}.'}
          >
            <Input
              type="url"
              required
              readOnly={!may}
              placeholder="https://example.com/may-see"
              value={url}
              onChange={event => setUrl(event.target.value)}
            />
          </Field>
          <Field
            label="Waits at most"
            error={saving.errorOf('timeout_ms')}
            help="Between 100 ms and 10 seconds."
          >
            <DurationInput
              label="Waits at most"
              in="ms"
              disabled={!may}
              value={timeout}
              onChange={setTimeout}
            />
          </Field>
          {check && (
            <p className="text-sm text-muted">
              Updated <Time value={check.updated_at} />
            </p>
          )}
          <div className="flex gap-2">
            <Button kind="primary" type="submit" isBusy={saving.isBusy} refusal={refusal}>
              {check ? 'Save' : 'Ask this server'}
            </Button>
            {check && (
              <Button kind="danger" onClick={() => setDeleting(true)} refusal={refusal}>
                Remove
              </Button>
            )}
          </div>
        </form>
      </Section>
      <Confirm
        title="Remove the visibility check?"
        action="Remove"
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await api.visibilityCheck.delete()
          queryClient.removeQueries({ queryKey: ['visibility-check-secret'] })
          await queryClient.invalidateQueries({ queryKey: ['visibility-check'] })
          toast('Nobody is asked any more.')
        }}
      >
        From then on, everybody who is told of something is taken to be allowed to see it.
      </Confirm>
    </Card>
  )
}
