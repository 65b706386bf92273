/** What a run did, or a test would have done. */
import type { RunEffect, ScriptEffect } from '@carillon/contract'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { JsonView } from '../../ui/json-view.tsx'

type Effect = RunEffect | ScriptEffect

export function Effects({ effects }: { effects: Effect[] }) {
  if (effects.length === 0) return <p className="text-muted">None.</p>
  return (
    <ol className="flex flex-col gap-1.5">
      {effects.map((effect, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: effects are known by their order
        <li key={i} className="min-w-0 break-words">
          <EffectLine effect={effect} />
        </li>
      ))}
    </ol>
  )
}

const Anchor = ({ to, children }: { to: string; children: ReactNode }) => (
  <Link to={to} className="text-accent hover:underline">
    {children}
  </Link>
)

function EffectLine({ effect }: { effect: Effect }) {
  switch (effect.type) {
    case 'notify':
      if (!('intent' in effect))
        return (
          <>
            Sent <Anchor to={`/activity/${effect.notification_id}`}>{effect.notification_type}</Anchor>
            {effect.duplicate && <span className="text-muted">, which had been accepted before</span>}
          </>
        )
      return (
        <Unfold title={`Send ${effect.intent.notification_type}`}>
          <JsonView value={effect.intent} />
        </Unfold>
      )
    case 'kv_set': {
      const place = (
        <>
          Write{' '}
          <Anchor to={kvAddress(effect.collection, effect.key)}>
            {effect.collection} / {effect.key}
          </Anchor>
        </>
      )
      if (!('value_json' in effect)) return place
      return (
        <Unfold title={place}>
          <JsonView value={effect.value_json} />
        </Unfold>
      )
    }
    case 'kv_delete':
      return (
        <>
          Delete {effect.collection} / {effect.key}
        </>
      )
    case 'replay_dead_letter':
      return (
        <>
          Replay the dead letter <Anchor to={`/dead-letters/${effect.id}`}>{effect.id}</Anchor>
        </>
      )
    case 'resolve_dead_letter':
      return (
        <>
          Resolve the dead letter <Anchor to={`/dead-letters/${effect.id}`}>{effect.id}</Anchor> as{' '}
          {effect.resolution.replaceAll('_', ' ')}
        </>
      )
    case 'raise_system_event':
      if (!('event' in effect))
        return (
          <>
            Raised the <Anchor to="/system-events">system event</Anchor> {effect.event_type}
          </>
        )
      return (
        <Unfold title={`Raise the system event ${effect.event.event_type}`}>
          <JsonView value={effect.event} />
        </Unfold>
      )
  }
}

const kvAddress = (collection: string, key: string) =>
  `/kv/${encodeURIComponent(collection)}?key=${encodeURIComponent(key)}`

function Unfold({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <details>
      <summary className="marker:text-muted">{title}</summary>
      <div className="mt-1">{children}</div>
    </details>
  )
}
