/** Raw JSON, as it is, to read and to copy. */
import { Check, Copy } from 'lucide-react'
import { IconButton } from './button.tsx'
import { useCopy } from './copy.tsx'

export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

export function JsonView({ value }: { value: unknown }) {
  const [isCopied, copy] = useCopy()
  const text = typeof value === 'string' ? prettyJson(value) : JSON.stringify(value, null, 2)
  return (
    <div className="relative min-w-0">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        className="max-h-[32rem] overflow-auto rounded-control bg-bg p-3 pr-10 font-mono text-code"
      >
        {text}
      </pre>
      <div className="absolute top-1 right-1">
        <IconButton label={isCopied ? 'Copied' : 'Copy'} onClick={() => copy(text)}>
          {isCopied ? <Check size={14} className="text-ok" /> : <Copy size={14} />}
        </IconButton>
      </div>
    </div>
  )
}
