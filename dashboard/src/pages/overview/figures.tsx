/** The numbers an operator looks at first. Each leads to the list behind it. */
import type { Overview, SeriesFigures } from '@carillon/contract'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { classes } from '../../ui/classes.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { sayDuration, Time } from '../../ui/time.tsx'

const TILE = 'flex min-w-0 flex-col gap-0.5 rounded-card border border-border bg-surface px-4 py-3'
const GRID = 'grid grid-cols-2 gap-3 md:grid-cols-4 xl:grid-cols-8'

interface Tile {
  label: string
  value: string
  to?: string
  search?: Record<string, string>
  tone?: 'bad' | 'warn' | false
  note?: ReactNode
}

const say = (value: number, most = Number.POSITIVE_INFINITY) =>
  value >= most ? `${most.toLocaleString('en')}+` : value.toLocaleString('en')
const ms = (value: number | null) => (value === null ? '–' : sayDuration(value))

export function Figures({ overview, totals }: { overview: Overview; totals: SeriesFigures }) {
  const { due, stuck, open_dead_letters: letters, open_system_events: events } = overview
  const tiles: Tile[] = [
    { label: 'Sent', value: say(totals.sent), to: '/activity', search: { status: 'sent' } },
    {
      label: 'Failed',
      value: say(totals.failed),
      to: '/activity',
      search: { status: 'dead' },
      tone: totals.failed > 0 && 'bad',
    },
    { label: 'Skipped', value: say(totals.skipped), to: '/activity', search: { status: 'skipped' } },
    { label: 'Latency p50', value: ms(totals.p50_ms) },
    { label: 'Latency p95', value: ms(totals.p95_ms) },
    {
      label: 'Due now',
      value: say(due.count, 10_000),
      to: '/activity',
      search: { status: 'pending' },
      tone: stuck.count > 0 && 'warn',
      note: due.oldest_at && (
        <>
          oldest <Time value={due.oldest_at} />
        </>
      ),
    },
    {
      label: 'Dead letters',
      value: say(letters.count),
      to: '/dead-letters',
      tone: letters.count > 0 && 'bad',
      note: letters.oldest_at && (
        <>
          oldest <Time value={letters.oldest_at} />
        </>
      ),
    },
    {
      label: 'System events',
      value: say(events.count, 10_000),
      to: '/system-events',
      tone: events.count > 0 && 'warn',
    },
  ]
  return (
    <div className={GRID}>
      {tiles.map(tile => (
        <FigureTile key={tile.label} {...tile} />
      ))}
    </div>
  )
}

function FigureTile({ label, value, to, search, tone, note }: Tile) {
  const content = (
    <>
      <span className="text-muted">{label}</span>
      <span
        className={classes(
          'text-2xl font-semibold whitespace-nowrap tabular',
          tone === 'bad' && 'text-bad',
          tone === 'warn' && 'text-warn',
        )}
      >
        {value}
      </span>
      <span className="cut min-h-4 text-sm text-muted">{note}</span>
    </>
  )
  if (to === undefined) return <div className={TILE}>{content}</div>
  return (
    <Link to={to} search={search ?? {}} className={`${TILE} transition-colors hover:border-control`}>
      {content}
    </Link>
  )
}

export function FiguresSkeleton() {
  return (
    <div className={GRID} role="status" aria-label="Loading">
      {Array.from({ length: 8 }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing else
        <div key={i} className={TILE}>
          <Skeleton className="h-4 w-16" />
          <Skeleton className="my-1 h-6 w-12" />
          <span className="min-h-4" />
        </div>
      ))}
    </div>
  )
}
