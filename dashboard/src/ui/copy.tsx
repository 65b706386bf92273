/** Ids and commands: one click copies them. */
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { classes } from './classes.ts'

export function useCopy(): [isCopied: boolean, copy: (text: string) => void] {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (text: string) => {
    void navigator.clipboard.writeText(text).then(() => setCopied(true))
  }
  return [isCopied, copy]
}

/** An id, whole on hover; shortened only where there is no room. */
export function Id({ value, className }: { value: string; className?: string }) {
  const [isCopied, copy] = useCopy()
  return (
    <button
      type="button"
      title={`Copy ${value}`}
      onClick={event => {
        event.stopPropagation()
        copy(value)
      }}
      className={classes(
        'group inline-flex max-w-full min-w-0 items-center gap-1 rounded-control font-mono text-code text-muted hover:text-text',
        className,
      )}
    >
      <span className="cut">{value}</span>
      {isCopied ? (
        <Check size={12} className="shrink-0 text-ok" aria-label="Copied" />
      ) : (
        <Copy
          size={12}
          className="shrink-0 opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100"
        />
      )}
    </button>
  )
}

/** A command or a piece of code to copy. */
export function Command({ text }: { text: string }) {
  const [isCopied, copy] = useCopy()
  return (
    <div className="flex max-w-full items-start gap-2 rounded-control border border-border bg-bg py-1.5 pr-1.5 pl-3 text-left">
      <code className="min-w-0 flex-1 py-0.5 text-left font-mono text-code break-words whitespace-pre-wrap">
        {text}
      </code>
      <button
        type="button"
        onClick={() => copy(text)}
        aria-label={isCopied ? 'Copied' : 'Copy'}
        className="rounded-control p-1 text-muted hover:bg-hover hover:text-text"
      >
        {isCopied ? <Check size={14} className="text-ok" /> : <Copy size={14} />}
      </button>
    </div>
  )
}
