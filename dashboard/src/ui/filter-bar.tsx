/** Above a list: one search field, and what it is narrowed to as chips. */
import { Search, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { Menu } from './menu.tsx'
import { TextFilter } from './text-filter.tsx'
import type { Filters } from './use-filters.ts'

export interface FilterChoice<Name extends string> {
  name: Name
  label: string
  /** One of these; without them, the value comes from elsewhere and is only shown and removed here. */
  options?: readonly (string | { value: string; label: string })[]
  /** How a value without options is shown, such as a time. */
  say?(value: string): string
  /** Typed by hand; says what it may look like. */
  typed?: string
  /** Shown only when it is set or when somebody asks for more. */
  isRare?: boolean
}

interface FilterBarProps<Name extends string> {
  filters: Filters<Name>
  choices: FilterChoice<Name>[]
  /** The name under which the search field's text stands in the address. */
  search?: { name: Name; placeholder: string }
  /** A search field of the page's own instead. */
  searchField?: ReactNode
  /** Filters of another form, after the others. */
  more?: ReactNode
  children?: ReactNode
}

const keyOf = (option: string | { value: string }) => (typeof option === 'string' ? option : option.value)
const labelOf = (option: string | { label: string }) =>
  typeof option === 'string' ? option.replaceAll('_', ' ') : option.label

export function FilterBar<Name extends string>({
  filters,
  choices,
  search,
  searchField,
  more,
  children,
}: FilterBarProps<Name>) {
  const [showsAll, setShowsAll] = useState(false)
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-border p-2">
      {searchField}
      {search && <SearchField key={search.name} filters={filters} {...search} />}
      {choices.map(({ name, label, options, say, typed, isRare }) => {
        const value = filters.values[name]
        if (value !== undefined) {
          const option = options?.find(each => keyOf(each) === value)
          return (
            <span
              key={name}
              className="inline-flex h-7 max-w-full items-center rounded-full bg-accent-soft pr-0.5 pl-2.5 text-sm text-accent"
            >
              <span className="cut">
                {label}:{' '}
                <b className="font-medium">
                  {option === undefined ? (say?.(value) ?? value) : labelOf(option)}
                </b>
              </span>
              <button
                type="button"
                aria-label={`Remove the filter ${label}`}
                className="rounded-full p-1 hover:bg-hover"
                onClick={() => filters.set({ [name]: undefined } as Partial<Record<Name, undefined>>)}
              >
                <X size={14} />
              </button>
            </span>
          )
        }
        if (isRare && !showsAll) return null
        if (typed !== undefined)
          return (
            <TextFilter
              key={name}
              label={label}
              placeholder={typed}
              onChoose={chosen => filters.set({ [name]: chosen } as Partial<Record<Name, string>>)}
            />
          )
        if (options === undefined) return null
        return (
          <Menu
            key={name}
            align="start"
            trigger={
              <Button kind="quiet" size="small" className="rounded-full border-dashed border-border!">
                {label}
              </Button>
            }
            items={options.map(option => ({
              label: labelOf(option),
              onSelect: () => filters.set({ [name]: keyOf(option) } as Partial<Record<Name, string>>),
            }))}
          />
        )
      })}
      {more}
      {!showsAll && choices.some(({ isRare }) => isRare) && (
        <Button
          kind="quiet"
          size="small"
          className="rounded-full border-dashed border-border!"
          onClick={() => setShowsAll(true)}
        >
          More filters
        </Button>
      )}
      {children && <div className="ml-auto flex flex-wrap items-center justify-end gap-2">{children}</div>}
    </div>
  )
}

/** Searches as one types, a moment after the last key. */
function SearchField<Name extends string>({
  filters,
  name,
  placeholder,
}: {
  filters: Filters<Name>
  name: Name
  placeholder: string
}) {
  const given = filters.values[name] ?? ''
  const [text, setText] = useState(given)
  const sent = useRef(given)
  // Only what came from elsewhere, such as Back: the own text arrives late and would undo what was typed since.
  useEffect(() => {
    if (given === sent.current) return
    sent.current = given
    setText(given)
  }, [given])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the wait
  useEffect(() => {
    if (text.trim() === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text.trim()
      filters.set({ [name]: sent.current || undefined } as Partial<Record<Name, string | undefined>>)
    }, 200)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div className="relative w-full md:w-64">
      <Search
        size={14}
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
      />
      <input
        type="search"
        data-search
        aria-label={placeholder}
        placeholder={placeholder}
        value={text}
        onChange={event => setText(event.target.value)}
        className="h-7 w-full rounded-control border border-control bg-surface pr-2 pl-8"
      />
    </div>
  )
}
