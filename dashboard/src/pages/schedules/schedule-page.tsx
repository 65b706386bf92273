/** One schedule: when it runs, what it sends, and what became of it. */
import type { NewSchedule, Schedule } from '@carillon/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Id } from '../../ui/copy.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { Card, Columns, Facts, Page } from '../../ui/page.tsx'
import { Notice, Problem } from '../../ui/problem.tsx'
import { readJson } from '../../ui/read-json.ts'
import { SaveBar } from '../../ui/save-bar.tsx'
import { PageSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useSave } from '../../ui/use-save.ts'
import { NextRuns } from './next-runs.tsx'
import { FIELDS, ScheduleForm } from './schedule-form.tsx'
import { type ScheduleValues, toSchedule, valuesOf } from './schedule-values.ts'
import { OnSwitch } from './schedules-page.tsx'

export default function SchedulePage() {
  const { id = '' } = useParams({ strict: false })
  const isNew = id === 'new'
  const { data, error, refetch } = useQuery({
    queryKey: ['schedules', id],
    queryFn: ({ signal }) => api.schedules.get(id, { signal }),
    enabled: !isNew,
  })
  if (isNew || data) return <ScheduleEditor key={id} schedule={data} />
  if (!error) return <PageSkeleton />
  return (
    <Page title="Schedule">
      <Card>
        <Problem error={error} onRetry={() => void refetch()} />
      </Card>
    </Page>
  )
}

function ScheduleEditor({ schedule }: { schedule: Schedule | undefined }) {
  const may = useMay('schedules:write')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const form = useForm<ScheduleValues>(valuesOf(schedule))
  const saving = useSave(async () => {
    const { value: payload } = readJson(form.value.payload)
    if (payload === undefined) throw new Error('The payload is no JSON object.')
    const wanted: NewSchedule = toSchedule(form.value, payload, schedule)
    const saved = schedule
      ? await api.schedules.update(schedule.id, wanted)
      : await api.schedules.create(wanted)
    queryClient.setQueryData(['schedules', saved.id], saved)
    await queryClient.invalidateQueries({ queryKey: ['schedules'] })
    toast(schedule ? `${saved.name} is saved.` : `${saved.name} is scheduled.`)
    if (!schedule) await navigate({ to: `/schedules/${saved.id}`, ignoreBlocker: true })
  }, FIELDS)
  return (
    <Page
      title={schedule?.name ?? 'Create a schedule'}
      about={
        schedule && (
          <>
            <OnSwitch schedule={schedule} showsLabel />
            <Id value={schedule.id} />
          </>
        )
      }
      actions={
        schedule ? (
          <>
            <Button
              kind="danger"
              onClick={() => setDeleting(true)}
              refusal={!may && 'You need schedules:write: ask an owner.'}
            >
              Delete
            </Button>
            <LinkButton
              to="/activity"
              search={{ notification_type: schedule.intent.notification_type } as never}
            >
              What it sent
            </LinkButton>
          </>
        ) : (
          <Button
            kind="primary"
            isBusy={saving.isBusy}
            onClick={() => void saving.save(undefined)}
            refusal={!may && 'You need schedules:write: ask an owner.'}
          >
            Create
          </Button>
        )
      }
    >
      {schedule?.last_error && (
        <Notice tone="bad">
          The run of <Time value={schedule.last_run_at} /> sent nothing: {schedule.last_error}
        </Notice>
      )}
      {!schedule && saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
      <Columns
        main={
          <ScheduleForm
            form={form}
            errorOf={saving.errorOf}
            isReadOnly={!may}
            onSubmit={() => void saving.save(undefined)}
          />
        }
        aside={
          <>
            <NextRuns
              cron={form.value.cron}
              timezone={form.value.timezone}
              isActive={schedule?.is_active ?? true}
            />
            {schedule && <About schedule={schedule} />}
          </>
        }
      />
      {!schedule && (
        <LeaveGuard
          name="the new schedule"
          isChanged={form.isChanged}
          onSave={() => saving.save(undefined)}
        />
      )}
      {schedule && (
        <SaveBar
          name={schedule.name}
          isChanged={form.isChanged}
          isBusy={saving.isBusy}
          problem={saving.problem}
          onSave={() => saving.save(undefined)}
          onDiscard={() => {
            saving.clear()
            form.discard()
          }}
        />
      )}
      {schedule && (
        <Confirm
          title={`Delete the schedule ${schedule.name}?`}
          action="Delete"
          isOpen={isDeleting}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await api.schedules.delete(schedule.id)
            toast(`${schedule.name} is deleted.`)
            await navigate({ to: '/schedules', ignoreBlocker: true })
            await queryClient.invalidateQueries({ queryKey: ['schedules'] })
          }}
        >
          It does not run again. What it has sent stays where it is.
        </Confirm>
      )}
    </Page>
  )
}

function About({ schedule }: { schedule: Schedule }) {
  return (
    <Card title="Facts">
      <Facts
        facts={[
          ['Producer', schedule.producer],
          ['Last run', <Time key="last" value={schedule.last_run_at} />],
          schedule.last_notification_id !== null && [
            'Last sent',
            <Link
              key="sent"
              to={`/activity/${schedule.last_notification_id}`}
              className="font-mono text-code text-accent hover:underline"
            >
              {schedule.last_notification_id.slice(0, 13)}…
            </Link>,
          ],
          [
            'Type',
            <Link
              key="type"
              to={`/types/${encodeURIComponent(schedule.intent.notification_type)}`}
              className="text-accent hover:underline"
            >
              {schedule.intent.notification_type}
            </Link>,
          ],
          ['Created', <Time key="created" value={schedule.created_at} />],
          ['Changed', <Time key="updated" value={schedule.updated_at} />],
        ]}
      />
    </Card>
  )
}
