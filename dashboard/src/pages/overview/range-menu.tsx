import { CalendarClock } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { RANGES, type Range, type RangeName } from './use-range.ts'

const day = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

export function RangeMenu({ range }: { range: Range }) {
  const text = range.name
    ? RANGES[range.name].label
    : `${day.format(new Date(range.from!))} – ${day.format(new Date(range.to!))}`
  return (
    <Menu
      trigger={
        <Button>
          <CalendarClock size={14} aria-hidden="true" />
          {text}
        </Button>
      }
      items={(Object.keys(RANGES) as RangeName[]).map(name => ({
        label: RANGES[name].label,
        isChosen: name === range.name,
        onSelect: () => range.choose(name),
      }))}
    />
  )
}
