import type { Translations } from '@carillon/contract'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { Input, Textarea } from '../../ui/field.tsx'
import { Notice } from '../../ui/problem.tsx'

interface MessageRowsProps {
  messages: Record<string, string>
  other: Translations | undefined
  isReadOnly: boolean
  onChange(messages: Record<string, string>): void
}

export function MessageRows({ messages, other, isReadOnly, onChange }: MessageRowsProps) {
  const [key, setKey] = useState('')
  const missing = Object.keys(other?.messages ?? {}).filter(each => !(each in messages))
  const add = () => {
    if (key.trim() === '' || key.trim() in messages) return
    onChange({ ...messages, [key.trim()]: '' })
    setKey('')
  }
  const remove = (name: string) => {
    const { [name]: _gone, ...others } = messages
    onChange(others)
  }
  return (
    <div className="flex flex-col gap-4">
      {missing.length > 0 && !isReadOnly && (
        <Notice tone="warn">
          <span className="flex flex-wrap items-center justify-between gap-2">
            <span className="min-w-0 break-words">
              Missing, though {other!.locale} has {missing.length === 1 ? 'it' : 'them'}: {missing.join(', ')}
            </span>
            <Button
              size="small"
              onClick={() =>
                onChange({
                  ...messages,
                  ...Object.fromEntries(missing.map(each => [each, other!.messages[each]!])),
                })
              }
            >
              Copy from {other!.locale}
            </Button>
          </span>
        </Notice>
      )}
      {Object.keys(messages).length === 0 && <p className="text-muted">No messages yet.</p>}
      {Object.entries(messages).map(([name, text]) => (
        <div
          key={name}
          className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-2 gap-y-1 md:grid-cols-[14rem_minmax(0,1fr)_auto]"
        >
          <code className="pt-2 font-mono text-code break-all">{name}</code>
          <div className="min-w-0 max-md:order-last max-md:col-span-2">
            <Textarea
              aria-label={name}
              rows={Math.min(Math.max(String(text).split('\n').length, 1), 6)}
              readOnly={isReadOnly}
              className="font-mono text-code"
              value={String(text)}
              onChange={event => onChange({ ...messages, [name]: event.target.value })}
            />
            {other?.messages[name] !== undefined && other.messages[name] !== text && (
              <p className="cut text-sm text-muted" title={other.messages[name]}>
                {other.locale}: {other.messages[name]}
              </p>
            )}
          </div>
          <IconButton label={`Remove ${name}`} disabled={isReadOnly} onClick={() => remove(name)}>
            <X size={14} />
          </IconButton>
        </div>
      ))}
      {!isReadOnly && (
        <form
          className="flex max-w-md gap-2"
          onSubmit={event => {
            event.preventDefault()
            add()
          }}
        >
          <Input
            aria-label="Key of a new message"
            placeholder="order.track"
            pattern="[A-Za-z0-9_.\-]+"
            className="font-mono text-code"
            value={key}
            onChange={event => setKey(event.target.value)}
          />
          <Button type="submit">
            <Plus size={14} aria-hidden="true" />
            Add a message
          </Button>
        </form>
      )}
    </div>
  )
}
