import { Search, X } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'

/** Finds one person among many by their id, with Enter. */
export function PersonSearch({ value, onChange }: { value: string; onChange(person: string): void }) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onChange(text.trim())
  }
  return (
    <form onSubmit={submit} className="relative w-44 md:w-56">
      <Search
        size={14}
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
      />
      <input
        data-search
        enterKeyHint="search"
        aria-label="Find a person by id"
        placeholder="Find a person"
        value={text}
        onChange={event => setText(event.target.value)}
        className="h-7 w-full rounded-control border border-control bg-surface pr-7 pl-8"
      />
      {value && (
        <button
          type="button"
          aria-label="Show everybody"
          onClick={() => onChange('')}
          className="absolute top-1/2 right-1 -translate-y-1/2 rounded-control p-1 text-muted hover:bg-hover"
        >
          <X size={14} />
        </button>
      )}
    </form>
  )
}
