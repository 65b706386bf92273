/** What has to happen for a script to run. */
import type { Trigger } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Zap } from 'lucide-react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { LinkButton } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Switch } from '../../ui/field.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { switchTrigger } from './trigger-changes.ts'
import { KIND_NAMES, sayWhen, TRIGGER_KINDS } from './trigger-words.ts'

const STATES = ['enabled', 'disabled'] as const

export default function TriggersPage() {
  const mayWrite = useMay('triggers:write')
  const filters = useFilters(['kind', 'state', 'script_id'])
  const kind = KIND_NAMES.find(each => each === filters.values.kind)
  const state = STATES.find(each => each === filters.values.state)
  const { script_id } = filters.values
  const list = useRows<Trigger>(['triggers', 'list', kind, state, script_id], (position, options) =>
    api.triggers.list(
      { ...position, ...(kind && { kind }), ...(state && { state }), ...(script_id && { script_id }) },
      options,
    ),
  )
  const scripts = useScriptNames()
  const add = (kind: 'primary' | 'secondary') =>
    mayWrite && (
      <LinkButton to="/triggers/new" kind={kind}>
        <Plus size={14} aria-hidden="true" />
        Add a trigger
      </LinkButton>
    )
  return (
    <Page
      title="Triggers"
      lead="Each says when a script runs: at a time, when something happens, or when an address is called."
      actions={add('primary')}
    >
      <ListCard
        label="Triggers"
        list={list}
        columns={columnsOf(scripts, mayWrite)}
        idOf={({ id }) => id}
        linkOf={({ id }) => `/triggers/${id}`}
        filters={filters}
        choices={[
          {
            name: 'kind',
            label: 'Kind',
            options: KIND_NAMES.map(value => ({ value, label: TRIGGER_KINDS[value].title })),
          },
          { name: 'state', label: 'State', options: STATES },
          { name: 'script_id', label: 'Script' },
        ]}
        empty={
          <Empty
            icon={Zap}
            title="Nothing makes scripts run"
            text="A trigger runs a script every morning, for every large order, or when your shop calls an address."
            command="npx carillon triggers create 'Every morning' cron watcher --cron '30 8 * * 1-5'"
            action={add('secondary')}
          />
        }
      />
    </Page>
  )
}

function useScriptNames(): Map<string, string> {
  const { data } = useQuery({
    queryKey: ['scripts', 'choices'],
    queryFn: ({ signal }) => api.scripts.list({ limit: 100 }, { signal }),
    enabled: useMay('scripts:read'),
  })
  return new Map(data?.data.map(({ id, name }) => [id, name]))
}

const columnsOf = (scripts: Map<string, string>, mayWrite: boolean): Column<Trigger>[] => [
  {
    title: 'Kind',
    width: 'w-36',
    from: 'md',
    csv: ({ kind }) => kind,
    cell: ({ kind }) => {
      const { icon: Icon, title } = TRIGGER_KINDS[kind]
      return (
        <span className="inline-flex items-center gap-2">
          <Icon size={14} aria-hidden="true" className="shrink-0 text-muted" />
          {title}
        </span>
      )
    },
  },
  {
    title: 'Name',
    csv: ({ name }) => name,
    cell: ({ name }) => (
      <span className="font-medium" title={name}>
        {name}
      </span>
    ),
  },
  {
    title: 'When',
    from: 'md',
    csv: sayWhen,
    cell: trigger => (
      <span className="text-muted" title={sayWhen(trigger)}>
        {sayWhen(trigger)}
      </span>
    ),
  },
  {
    title: 'Script',
    from: 'lg',
    width: 'w-44',
    csv: ({ script_id }) => scripts.get(script_id) ?? script_id,
    cell: ({ script_id }) => (
      <Link to={`/scripts/${script_id}`} className="font-mono text-code text-accent hover:underline">
        {scripts.get(script_id) ?? 'script'}
      </Link>
    ),
  },
  {
    title: 'Next run',
    from: 'lg',
    width: 'w-28',
    csv: trigger => (trigger.kind === 'cron' ? trigger.next_run_at : null),
    cell: trigger =>
      trigger.kind === 'cron' ? (
        <Time value={trigger.next_run_at} className="text-muted" />
      ) : (
        <span className="text-muted">–</span>
      ),
  },
  {
    title: 'On',
    width: 'w-16',
    csv: ({ is_enabled }) => is_enabled,
    cell: trigger => (
      <Switch
        label={`${trigger.name} is switched on`}
        isOn={trigger.is_enabled}
        disabled={!mayWrite}
        onChange={isOn => void switchTrigger(trigger, isOn)}
      />
    ),
  },
]
