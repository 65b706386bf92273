/** People by their ids, suggested as one types. An id that nobody has yet can be given too. */
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { classes } from '../../ui/classes.ts'
import { POPOVER } from '../../ui/menu.tsx'

interface Suggestion {
  id: string
  about: string
}

const MOST = 6

/** From the newest people, and from the search where there are more of them. */
function useSuggestions(text: string, chosen: string[]): Suggestion[] {
  const wanted = text.trim().toLowerCase()
  const { data: users } = useQuery({
    queryKey: ['users', 'suggestions'],
    queryFn: ({ signal }) => api.users.list({ limit: 100 }, { signal }),
    enabled: useMay('users:read'),
    staleTime: 60_000,
  })
  const { data: found } = useQuery({
    queryKey: ['search', wanted],
    queryFn: ({ signal }) => api.search.find(wanted, { signal }),
    enabled: wanted.length > 1,
  })
  const known = (users?.data ?? [])
    .map(({ id, username, email }) => ({ id, about: [username, email].filter(Boolean).join(', ') }))
    .filter(({ id, about }) => `${id} ${about}`.toLowerCase().includes(wanted))
  const others = (found?.data ?? [])
    .filter(({ kind }) => kind === 'user')
    .map(({ id, subtitle }) => ({ id, about: subtitle }))
  const ids = new Set(chosen)
  return [...known, ...others].filter(({ id }) => !ids.has(id) && ids.add(id)).slice(0, MOST)
}

interface PeopleFieldProps {
  value: string[]
  onChange(people: string[]): void
}

export function PeopleField({ value, onChange }: PeopleFieldProps) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const listId = useId()
  const suggestions = useSuggestions(text, value)
  const typed = text.trim()
  const isNew = typed !== '' && !value.includes(typed) && !suggestions.some(({ id }) => id === typed)
  const options = isNew ? [...suggestions, { id: typed, about: 'as an id' }] : suggestions

  const add = (id: string | undefined) => {
    if (id === undefined || id === '') return
    onChange([...value.filter(each => each !== id), id])
    setText('')
    setAt(0)
  }
  const keys = (event: KeyboardEvent) => {
    if ((event.key === 'Enter' || event.key === ',') && typed) add(options[at]?.id)
    else if (event.key === 'Backspace' && text === '' && value.length > 0) onChange(value.slice(0, -1))
    else if (event.key === 'ArrowDown') {
      setOpen(true)
      setAt(Math.min(at + 1, options.length - 1))
    } else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
    else if (event.key === 'Escape' && isOpen) setOpen(false)
    else return
    event.preventDefault()
  }
  const shows = isOpen && options.length > 0
  return (
    <div className="relative">
      <div className="flex min-h-8 flex-wrap items-center gap-1 rounded-control border border-control bg-surface px-1.5 py-1 focus-within:outline-2 focus-within:outline-accent">
        {value.map(id => (
          <span
            key={id}
            className="inline-flex max-w-full items-center rounded-full bg-accent-soft pl-2 text-sm text-accent"
          >
            <bdi className="cut">{id}</bdi>
            <button
              type="button"
              aria-label={`Remove ${id}`}
              onClick={() => onChange(value.filter(each => each !== id))}
              className="rounded-full p-1 hover:bg-hover"
            >
              <X size={12} />
            </button>
          </span>
        ))}
        <input
          role="combobox"
          aria-label="People"
          aria-expanded={shows}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={shows ? `${listId}-${at}` : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder={value.length === 0 ? 'Ids of people, such as ada' : ''}
          value={text}
          onChange={event => {
            setText(event.target.value)
            setAt(0)
            setOpen(true)
          }}
          onFocus={() => setOpen(true)}
          onBlur={() => {
            setOpen(false)
            if (isNew) add(typed)
          }}
          onKeyDown={keys}
          className="h-6 min-w-24 flex-1 bg-transparent px-1 outline-none"
        />
      </div>
      {shows && (
        <div
          id={listId}
          role="listbox"
          aria-label="People"
          className={classes(POPOVER, 'absolute top-full left-0 mt-1 w-full')}
        >
          {options.map(({ id, about }, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
            <div
              key={id}
              id={`${listId}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === at}
              onMouseMove={() => setAt(i)}
              onMouseDown={event => event.preventDefault()}
              onClick={() => add(id)}
              className={classes(
                'flex min-h-8 items-center gap-2 rounded-control px-2',
                i === at && 'bg-hover',
              )}
            >
              <bdi className="cut max-w-[60%] shrink-0 font-medium">{id}</bdi>
              <bdi className="cut min-w-0 text-muted">{about}</bdi>
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
