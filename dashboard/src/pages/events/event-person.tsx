/** What an event meant for one person: by which rule they were told, or why not. */
import type { EventExplanation, FanoutOutcome } from '@carillon/contract'
import { Person } from '../../ui/recipient.tsx'
import { Sentence } from '../../ui/sentence.tsx'
import { Chip, Status } from '../../ui/status.tsx'
import { TextLink } from '../../ui/text-link.tsx'

const LABELS: Record<FanoutOutcome, string> = {
  told: 'told',
  in_app_off: 'in-app is off',
  no_channel: 'no channel left',
  not_member: 'not a member',
  not_visible: 'may not see it',
  unsubscribed: 'left the thread',
  ignores_topic: 'ignores the topic',
  actor: 'did it themselves',
  no_rule: 'no rule',
  unknown_user: 'does not exist',
  no_relation: 'no relation',
}

export function EventPerson({ person }: { person: EventExplanation['people'][number] }) {
  const { user_id, relations, relation, outcome, text, notification_ids, inbox } = person
  return (
    <section className="flex flex-col gap-1.5 border-b border-border px-4 py-3 last:border-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="cut max-w-full font-medium">
          <Person userId={user_id} />
        </h3>
        <Status status={outcome === 'told' ? 'sent' : 'skipped'} label={LABELS[outcome]} />
        <span className="flex flex-wrap gap-1">
          {relations.map(each => (
            <Chip key={each} {...(each === relation && { tone: 'info' as const })}>
              {each}
            </Chip>
          ))}
        </span>
      </div>
      <p className="break-words">
        <Sentence text={text} />
      </p>
      <p className="text-sm text-muted">
        {inbox && (
          <>
            <Sentence text={inbox.text} />{' '}
          </>
        )}
        {notification_ids.map(id => (
          <TextLink key={id} to={`/activity/${id}`} search={{ person: user_id }} className="mr-2 underline">
            What became of it
          </TextLink>
        ))}
      </p>
    </section>
  )
}
