/** Who would get what, when and through whom, or why not. */
import type { SimulatedRoute, Simulation } from '@carillon/contract'
import { Eye } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { CHANNEL_NAMES, ChannelName } from '../../ui/channel.tsx'
import { Countdown } from '../../ui/countdown.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { MessageView } from '../../ui/message-view.tsx'
import { Notice } from '../../ui/problem.tsx'
import { sayCodes, sayReason } from '../../ui/reasons.ts'
import { Recipient } from '../../ui/recipient.tsx'
import { Sentence } from '../../ui/sentence.tsx'
import { Status } from '../../ui/status.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'

const LABELS = {
  sent: 'would be sent',
  pending: 'would wait',
  skipped: 'left out',
  expired: 'too late',
  dead: 'would fail',
} as const

const A_MINUTE = 60_000

export function SimulationView({ simulation }: { simulation: Simulation }) {
  const { summary, people, warnings = [], duplicate_of, is_complete } = simulation
  const [shown, setShown] = useState<SimulatedRoute>()
  return (
    <div className="flex flex-col gap-3">
      <p className="px-4 pt-4 text-lg font-medium">
        <Sentence text={sayCodes(summary)} />
      </p>
      {(duplicate_of || warnings.length > 0) && (
        <div className="flex flex-col gap-2 px-4">
          {duplicate_of && (
            <Notice tone="warn">
              This key was used before:{' '}
              <TextLink to={`/activity/${duplicate_of}`}>see that notification</TextLink>. Nobody would get it
              again.
            </Notice>
          )}
          {warnings.map(({ code, detail }) => (
            <Notice key={code} tone="warn">
              {detail}
            </Notice>
          ))}
        </div>
      )}
      <div className="border-t border-border">
        {people.map(({ recipient_ref, routes }) => (
          <section key={recipient_ref} className="border-b border-border px-4 py-3 last:border-0">
            <h3 className="cut mb-1.5 font-medium">
              <Recipient value={recipient_ref} />
            </h3>
            <ul className="flex flex-col gap-2">
              {routes.map(route => (
                <SimulatedLine key={route.route_id} route={route} onMessage={() => setShown(route)} />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {!is_complete && (
        <p className="px-4 pb-4 text-muted">The audience has more people; these are the first.</p>
      )}
      {shown?.message && (
        <Dialog
          title={`${CHANNEL_NAMES[shown.channel]} message`}
          isOpen
          isSheet
          onClose={() => setShown(undefined)}
        >
          <MessageView
            message={{ ...shown.message, channel: shown.channel, address: shown.address, at: shown.at }}
          />
        </Dialog>
      )}
    </div>
  )
}

function SimulatedLine({ route, onMessage }: { route: SimulatedRoute; onMessage(): void }) {
  const { channel, address, status, reason, at, provider, decisions, message } = route
  const isLater = status === 'sent' && Date.parse(at) - Date.now() > A_MINUTE
  // One that goes out at once by a single decision has nothing to explain.
  const needsWords = decisions.length > 1 || (decisions.length === 1 && (isLater || status !== 'sent'))
  return (
    <li className="grid grid-cols-[5.5rem_minmax(0,1fr)_2rem] items-start gap-x-3">
      <span className="pt-0.5">
        <ChannelName channel={channel} />
      </span>
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {isLater ? (
            <Status status="postponed" label="would be sent later" />
          ) : (
            <Status status={status} label={LABELS[status]} />
          )}
          <span className="min-w-0 break-words text-muted">
            {status === 'sent' ? (
              <>
                {isLater ? <Countdown until={at} /> : 'at once'}
                {provider && ` through ${provider}`}
                {address && (
                  <>
                    {' '}
                    to <bdi className="break-words">{address}</bdi>
                  </>
                )}
              </>
            ) : (
              <>
                {reason && sayReason(reason)}
                {status === 'pending' && (
                  <>
                    , tried again <Time value={at} />
                  </>
                )}
              </>
            )}
          </span>
        </div>
        {needsWords && (
          <details className="mt-1 text-sm text-muted">
            <summary className="marker:text-muted">Why</summary>
            <ul className="mt-1 flex flex-col gap-1">
              {decisions.map((decision, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: decisions do not move
                <li key={i} className="break-words">
                  <Sentence text={decision.text} />
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
      {message && (
        <IconButton label="Show the message" className="-mt-1" onClick={onMessage}>
          <Eye size={14} />
        </IconButton>
      )}
    </li>
  )
}
