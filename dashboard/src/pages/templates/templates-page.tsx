/** All templates by name, with the channels and languages of each. */
import type { Channel, TemplateSummary } from '@carillon/contract'
import { Link } from '@tanstack/react-router'
import { Mails, Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { CHANNEL_NAMES, CHANNEL_OPTIONS } from '../../ui/channel.tsx'
import { classes } from '../../ui/classes.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRows } from '../../ui/use-rows.ts'
import { templatePath } from './content.ts'
import { type Group, groupByName, sayState } from './groups.ts'
import { NewTemplate } from './new-template.tsx'

export default function TemplatesPage() {
  const may = useMay('templates:write')
  const filters = useFilters(['search', 'channel', 'state'])
  const [isNew, setNew] = useState(false)
  const { search, channel, state } = filters.values
  const list = useRows<TemplateSummary>(
    ['templates', channel],
    (position, options) =>
      api.templates.list({ ...position, ...(channel && { channel: channel as Channel }) }, options),
    { pageSize: 100 },
  )
  const groups = list.rows && groupByName(list.rows).filter(group => fits(group, search, state))
  return (
    <Page
      title="Templates"
      lead="What a notification says, for each channel and language. A type uses the templates of its own name unless it says otherwise."
      actions={
        <>
          <LinkButton to="/template-parts">Layouts and partials</LinkButton>
          <Button
            kind="primary"
            onClick={() => setNew(true)}
            refusal={!may && 'You need templates:write: ask an owner.'}
          >
            <Plus size={14} aria-hidden="true" />
            Create a template
          </Button>
        </>
      }
    >
      <ListCard
        label="Templates"
        list={{
          ...list,
          rows: groups,
          fetchPage: async position => {
            const page = await list.fetchPage(position)
            return { ...page, data: groupByName(page.data) }
          },
        }}
        columns={COLUMNS}
        idOf={({ name }) => name}
        linkOf={({ members: [first] }) => templatePath(first!.name, first!.channel, first!.locale)}
        filters={filters}
        search={{ name: 'search', placeholder: 'Search names' }}
        choices={[
          { name: 'channel', label: 'Channel', options: CHANNEL_OPTIONS },
          { name: 'state', label: 'State', options: ['published', 'draft', 'off'] },
        ]}
        empty={
          <Empty
            icon={Mails}
            title="There are no templates yet"
            text="Until there are, plain messages are made from the texts in the payload. Keep templates in git and push them, or write one here."
            command="npx carillon templates push examples/templates"
            action={may && <Button onClick={() => setNew(true)}>Create a template</Button>}
          />
        }
      />
      {isNew && <NewTemplate onClose={() => setNew(false)} />}
    </Page>
  )
}

const COLUMNS: Column<Group>[] = [
  {
    title: 'Name',
    cell: ({ name }) => <span title={name}>{name}</span>,
    csv: ({ name }) => name,
    width: 'w-[40%] md:w-[26%]',
  },
  {
    title: 'Channels and languages',
    cell: ({ members }) => <Members members={members} />,
    csv: ({ members }) => members.map(({ channel, locale }) => `${channel} ${locale}`).join(', '),
  },
  {
    title: 'State',
    cell: group => <Status {...sayState(group)} />,
    csv: group => sayState(group).label,
    width: 'w-32',
    from: 'md',
  },
  {
    title: 'Changed',
    cell: ({ updated_at }) => <Time value={updated_at} className="text-muted" />,
    csv: ({ updated_at }) => updated_at,
    width: 'w-32',
    from: 'md',
  },
]

/** Each channel with its languages; every one leads to its own editor. */
function Members({ members }: { members: TemplateSummary[] }) {
  const channels = [...new Set(members.map(({ channel }) => channel))]
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-1 py-0.5 whitespace-normal">
      {channels.map(channel => (
        <span key={channel} className="inline-flex flex-wrap items-center gap-1">
          <span className="text-sm text-muted">{CHANNEL_NAMES[channel]}</span>
          {members
            .filter(member => member.channel === channel)
            .map(member => (
              <MemberChip key={member.locale} member={member} />
            ))}
        </span>
      ))}
    </span>
  )
}

function MemberChip({
  member: { name, channel, locale, is_active, published_version },
}: {
  member: TemplateSummary
}) {
  const state = !is_active
    ? 'switched off'
    : published_version === null
      ? 'draft'
      : `version ${published_version}`
  return (
    <Link
      to={templatePath(name, channel, locale)}
      title={`${channel} ${locale}, ${state}`}
      className={classes(
        'rounded-full border px-1.5 py-px text-sm hover:bg-hover',
        is_active && published_version !== null
          ? 'border-border text-text'
          : 'border-dashed border-control text-muted',
        !is_active && 'line-through',
      )}
    >
      {locale}
    </Link>
  )
}

function fits({ name, members }: Group, search = '', state?: string): boolean {
  if (!name.toLowerCase().includes(search.toLowerCase())) return false
  if (state === 'off') return members.some(({ is_active }) => !is_active)
  if (state === 'draft') return members.some(({ published_version }) => published_version === null)
  return (
    state === undefined ||
    members.some(({ is_active, published_version }) => is_active && published_version !== null)
  )
}
