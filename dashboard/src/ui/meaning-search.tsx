/** One search field that offers what a text can mean: a person, a key, a type. */
import { Search } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { classes } from './classes.ts'
import { POPOVER } from './menu.tsx'

export interface Meaning {
  /** What it would be. */
  label: string
  value: string
}

interface MeaningSearchProps<Choice extends Meaning> {
  hint: string
  choicesFor(text: string): Choice[]
  onChoose(choice: Choice): void
}

export function MeaningSearch<Choice extends Meaning>({
  hint,
  choicesFor,
  onChoose,
}: MeaningSearchProps<Choice>) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [isClosed, setClosed] = useState(false)
  const listId = useId()
  const choices = choicesFor(text)
  const isOpen = choices.length > 0 && !isClosed

  const choose = (choice: Choice | undefined) => {
    if (choice === undefined) return
    setText('')
    onChoose(choice)
  }
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter') choose(choices[at])
    else if (event.key === 'ArrowDown') setAt(Math.min(at + 1, choices.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
    else if (event.key === 'Escape' && isOpen) setClosed(true)
    else return
    event.preventDefault()
  }
  return (
    <div className="relative w-full md:w-72">
      <Search
        size={14}
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
      />
      <input
        data-search
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isOpen ? `${listId}-${at}` : undefined}
        aria-label={hint}
        placeholder={hint}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={event => {
          setText(event.target.value)
          setAt(0)
          setClosed(false)
        }}
        onKeyDown={keys}
        onBlur={() => setClosed(true)}
        onFocus={() => setClosed(false)}
        className="h-7 w-full rounded-control border border-control bg-surface pr-2 pl-8"
      />
      {isOpen && (
        <div
          id={listId}
          role="listbox"
          aria-label="What it can mean"
          className={classes(POPOVER, 'absolute top-full left-0 mt-1 w-full')}
        >
          {choices.map((choice, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
            <div
              key={`${choice.label} ${choice.value}`}
              id={`${listId}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === at}
              onMouseMove={() => setAt(i)}
              // The field keeps the focus; a click would otherwise close the list before it is heard.
              onMouseDown={event => event.preventDefault()}
              onClick={() => choose(choice)}
              className={classes(
                'flex min-h-8 items-center gap-2 rounded-control px-2',
                i === at && 'bg-hover',
              )}
            >
              <span className="shrink-0 text-muted">{choice.label}</span>
              <b className="cut min-w-0 font-medium" dir="auto">
                {choice.value}
              </b>
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
