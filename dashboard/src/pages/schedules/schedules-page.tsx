/** Intents that are sent again and again. */
import type { Schedule } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { CalendarClock, Plus } from 'lucide-react'
import { api, wordsOf } from '../../app/api.ts'
import { LIVE } from '../../app/queries.ts'
import { useMay } from '../../app/session.tsx'
import { LinkButton } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Switch } from '../../ui/field.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useRows } from '../../ui/use-rows.ts'
import { sayCron } from './cron-words.ts'

export default function SchedulesPage() {
  const may = useMay('schedules:write')
  const list = useRows<Schedule>(
    ['schedules'],
    (position, options) => api.schedules.list(position, options),
    LIVE,
  )
  return (
    <Page
      title="Schedules"
      lead="Intents that Carillon sends by itself, at the times of a cron expression."
      actions={
        may && (
          <LinkButton to="/schedules/new" kind="primary">
            <Plus size={14} aria-hidden="true" />
            Create a schedule
          </LinkButton>
        )
      }
    >
      <ListCard
        label="Schedules"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        linkOf={({ id }) => `/schedules/${id}`}
        empty={
          <Empty
            icon={CalendarClock}
            title="Nothing is sent on a schedule"
            text="A weekly report, a reminder on the first of the month: give it a cron expression, a time zone and an intent."
            action={may && <LinkButton to="/schedules/new">Create a schedule</LinkButton>}
          />
        }
      />
    </Page>
  )
}

const COLUMNS: Column<Schedule>[] = [
  {
    title: 'Name',
    cell: ({ name }) => <span title={name}>{name}</span>,
    csv: ({ name }) => name,
    width: 'w-[38%] md:w-[22%]',
  },
  {
    title: 'When',
    cell: ({ cron, timezone }) => (
      <span title={`${cron} (${timezone})`}>
        {sayCron(cron) || <code className="font-mono text-code">{cron}</code>}
        <span className="text-muted"> · {timezone}</span>
      </span>
    ),
    csv: ({ cron, timezone }) => `${cron} ${timezone}`,
    from: 'md',
  },
  {
    title: 'Type',
    cell: ({ intent }) => intent.notification_type,
    csv: ({ intent }) => intent.notification_type,
    width: 'w-40',
    from: 'lg',
  },
  {
    title: 'Next run',
    cell: ({ next_run_at, is_active }) =>
      is_active ? <Time value={next_run_at} /> : <span className="text-muted">–</span>,
    csv: ({ next_run_at }) => next_run_at,
    width: 'md:w-28',
  },
  {
    title: 'Last run',
    cell: ({ last_run_at, last_error }) =>
      last_error ? (
        <span title={last_error}>
          <Status status="failed" />
        </span>
      ) : (
        <Time value={last_run_at} className="text-muted" />
      ),
    csv: ({ last_run_at }) => last_run_at,
    width: 'w-28',
    from: 'lg',
  },
  {
    title: 'On',
    cell: schedule => <OnSwitch schedule={schedule} />,
    csv: ({ is_active }) => is_active,
    width: 'w-16',
  },
]

export function OnSwitch({ schedule, showsLabel = false }: { schedule: Schedule; showsLabel?: boolean }) {
  const may = useMay('schedules:write')
  const queryClient = useQueryClient()
  const turn = async (is_active: boolean) => {
    try {
      await api.schedules.update(schedule.id, { is_active })
      await queryClient.invalidateQueries({ queryKey: ['schedules'] })
      toast(`${schedule.name} is switched ${is_active ? 'on' : 'off'}.`, {
        undo: () => void turn(!is_active),
      })
    } catch (error) {
      toast(wordsOf(error), { tone: 'bad' })
    }
  }
  return (
    <Switch
      label={showsLabel ? (schedule.is_active ? 'On' : 'Off') : `${schedule.name} is on`}
      showsLabel={showsLabel}
      isOn={schedule.is_active}
      disabled={!may}
      onChange={isOn => void turn(isOn)}
    />
  )
}
