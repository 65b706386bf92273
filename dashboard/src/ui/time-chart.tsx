import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import { useIsDark } from '../app/theme.ts'

export interface Series {
  label: string
  /** A token, such as --ok. */
  colour: string
  values: (number | null)[]
}

export interface ChartProps {
  /** What it shows, for those who cannot see it. */
  label: string
  /** Seconds since 1970, ascending. */
  times: number[]
  series: Series[]
  /** Bars on top of each other, first series lowest; otherwise lines. */
  isStacked?: boolean
  format?(value: number): string
  /** A range that was dragged. */
  onBrush?(from: Date, to: Date): void
  /** A point that was clicked, by its place. */
  onPick?(index: number): void
  height?: number
}

const plain = (value: number) => value.toLocaleString('en')

export default function TimeChart(props: ChartProps) {
  const { label, times, series, isStacked = false, format = plain, height = 192 } = props
  const place = useRef<HTMLDivElement>(null)
  const [hovered, setHovered] = useState<number | null>(null)
  const isDark = useIsDark()
  const latest = useRef(props)
  latest.current = props

  // biome-ignore lint/correctness/useExhaustiveDependencies: colours come from the theme
  useEffect(() => {
    const box = place.current!
    const token = (name: string) => getComputedStyle(box).getPropertyValue(name).trim()
    const heights = isStacked ? stack(series.map(({ values }) => values)) : series.map(({ values }) => values)
    const half = ((times[1] ?? 0) - (times[0] ?? 0)) / 2 || 1800
    const axis: uPlot.Axis = {
      stroke: token('--muted'),
      grid: { stroke: token('--border'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui',
      size: 56,
    }
    const options: uPlot.Options = {
      width: box.clientWidth,
      height,
      legend: { show: false },
      cursor: { y: false, points: { show: !isStacked }, drag: { x: true, y: false, setScale: false } },
      scales: {
        // Half a step of room at both ends, so that the first and the last bar are whole.
        x: { range: (_plot, min, max) => (isStacked ? [min - half, max + half] : [min, max]) },
        y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
      },
      axes: [
        { ...axis, size: 28, grid: { show: false }, values: timeLabels },
        {
          ...axis,
          values: (_plot, values) => values.map(value => latest.current.format?.(value) ?? plain(value)),
        },
      ],
      series: [
        {},
        // Drawn from the highest to the lowest, so that the lower ones stay visible in front.
        ...series
          .map(({ label: name, colour, values }) => ({
            label: name,
            stroke: token(colour),
            width: isStacked ? 0 : 1.5,
            // One value alone makes no line.
            points: { show: !isStacked && values.filter(value => value !== null).length < 3 },
            ...(isStacked && { fill: token(colour), paths: uPlot.paths.bars!({ size: [0.72, 40], gap: 1 }) }),
          }))
          .toReversed(),
      ],
      hooks: {
        setCursor: [plot => setHovered(plot.cursor.idx ?? null)],
        setSelect: [
          plot => {
            const { left, width } = plot.select
            if (width < 4) return
            const [from, to] = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')]
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
            latest.current.onBrush?.(new Date(from * 1000), new Date(to * 1000))
          },
        ],
      },
    }
    const plot = new uPlot(options, [times, ...heights.toReversed()] as uPlot.AlignedData, box)
    const click = () => {
      if (plot.cursor.idx != null) latest.current.onPick?.(plot.cursor.idx)
    }
    plot.over.addEventListener('click', click)
    const resize = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height }))
    resize.observe(box)
    return () => {
      resize.disconnect()
      plot.destroy()
    }
  }, [times, series, isStacked, isDark, height])

  const shown = hovered ?? times.length - 1
  const at = times[shown]
  return (
    <figure className="m-0 min-w-0">
      <figcaption className="mb-2 flex min-h-5 flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        {series.map(({ label: name, colour, values }) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span
              aria-hidden="true"
              className="size-2.5 rounded-[2px]"
              style={{ background: `var(${colour})` }}
            />
            <span className="text-muted">{name}</span>
            <span className="tabular">{values[shown] == null ? '–' : format(values[shown])}</span>
          </span>
        ))}
        {at !== undefined && <span className="ml-auto text-muted tabular">{momentText(at)}</span>}
      </figcaption>
      <div ref={place} role="img" aria-label={label} style={{ height }} className="min-w-0 overflow-hidden" />
    </figure>
  )
}

function stack(columns: (number | null)[][]): number[][] {
  const heights: number[][] = []
  for (const [i, values] of columns.entries())
    heights.push(values.map((value, at) => (value ?? 0) + (heights[i - 1]?.[at] ?? 0)))
  return heights
}

const hourText = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const dayText = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' })
const moment = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const momentText = (seconds: number) => moment.format(seconds * 1000)

/** The time of day; at midnight and over longer times, the day. */
function timeLabels(_plot: uPlot, values: number[]): string[] {
  return values.map(seconds => {
    const text = hourText.format(seconds * 1000)
    return text === '00:00' || (values[1] ?? 0) - (values[0] ?? 0) >= 86_400
      ? dayText.format(seconds * 1000)
      : text
  })
}
