/** Tabs whose choice stands in the address. */
import { Tabs as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'
import { useFilters } from './use-filters.ts'

interface TabsProps {
  label: string
  /** The name in the address. */
  name?: string
  tabs: { value: string; title: ReactNode; content: ReactNode }[]
}

export function Tabs({ label, name = 'tab', tabs }: TabsProps) {
  const { values, set } = useFilters([name])
  const chosen = tabs.find(({ value }) => value === values[name]) ?? tabs[0]!
  const list = useRef<HTMLDivElement>(null)
  // On a phone, the chosen tab may be beyond the edge.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the choice is what moves it
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[data-state="active"]')
    if (!tab || !list.current) return
    const { offsetLeft, offsetWidth } = tab
    const { scrollLeft, clientWidth } = list.current
    const start = offsetLeft - list.current.offsetLeft
    if (start < scrollLeft || start + offsetWidth > scrollLeft + clientWidth)
      list.current.scrollLeft = start - (clientWidth - offsetWidth) / 2
  }, [chosen.value])
  return (
    <Radix.Root
      value={chosen.value}
      onValueChange={value => set({ [name]: value === tabs[0]!.value ? undefined : value })}
      className="flex min-w-0 flex-col gap-4"
    >
      <Radix.List ref={list} aria-label={label} className="flex gap-2 overflow-x-auto border-b border-border">
        {tabs.map(({ value, title }) => (
          <Radix.Trigger
            key={value}
            value={value}
            className="-mb-px h-9 border-b-2 border-transparent px-1 outline-offset-[-2px] whitespace-nowrap text-muted hover:text-text data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-text"
          >
            {title}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ value, content }) => (
        <Radix.Content key={value} value={value} className="flex min-w-0 flex-col gap-4">
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
