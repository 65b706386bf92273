/** Who gets it: every kind of audience that the type allows. */
import type { AudienceKind, NotificationType } from '@carillon/contract'
import { AUDIENCE_KINDS, AUDIENCE_NAMES } from '../../ui/audience.ts'
import { CHANNEL_NAMES, CHANNELS } from '../../ui/channel.tsx'
import { Field, Input, Select, Textarea } from '../../ui/field.tsx'
import { Notice } from '../../ui/problem.tsx'
import type { Draft } from './draft.ts'
import { PeopleField } from './people-field.tsx'

export const allowedAudiences = (type: NotificationType | undefined): readonly AudienceKind[] =>
  type && type.audience_kinds.length > 0 ? type.audience_kinds : AUDIENCE_KINDS

interface AudienceFieldsProps {
  draft: Draft
  type: NotificationType | undefined
  change(changes: Partial<Draft>): void
}

export function AudienceFields({ draft, type, change }: AudienceFieldsProps) {
  const kinds = allowedAudiences(type)
  return (
    <>
      <Field
        label="To"
        {...(type && type.audience_kinds.length > 0 && { help: 'Only what the type allows.' })}
      >
        <Select
          value={draft.audience}
          onChange={event => change({ audience: event.target.value as AudienceKind })}
        >
          {kinds.map(kind => (
            <option key={kind} value={kind}>
              {AUDIENCE_NAMES[kind]}
            </option>
          ))}
        </Select>
      </Field>
      {draft.audience === 'users' && (
        <PeopleField value={draft.people} onChange={people => change({ people })} />
      )}
      {draft.audience === 'topic' && (
        <Field label="Topic">
          <Input
            placeholder="acme/api"
            value={draft.topic}
            onChange={event => change({ topic: event.target.value })}
          />
        </Field>
      )}
      {draft.audience === 'addresses' && (
        <>
          <Field label="Channel">
            <Select
              value={draft.addressChannel}
              onChange={event => change({ addressChannel: event.target.value as Draft['addressChannel'] })}
            >
              {CHANNELS.filter(channel => channel !== 'in_app').map(channel => (
                <option key={channel} value={channel}>
                  {CHANNEL_NAMES[channel]}
                </option>
              ))}
            </Select>
          </Field>
          <Field label="Addresses" help="One per line.">
            <Textarea
              rows={3}
              placeholder={draft.addressChannel === 'sms' ? '+4915112345678' : 'ada@example.com'}
              value={draft.addresses}
              onChange={event => change({ addresses: event.target.value })}
            />
          </Field>
        </>
      )}
      {draft.audience === 'tenant' && <Notice tone="warn">Every person of this tenant gets it.</Notice>}
      {draft.audience === 'admin_email' && (
        <p className="break-words text-muted">
          {type && type.admin_emails.length > 0
            ? type.admin_emails.join(', ')
            : 'This type has no admins yet.'}
        </p>
      )}
    </>
  )
}
