/** What a letter is about, each with a way to it. */
import type { DeadLetterDetail } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { addressOf } from '../../shell/addresses.ts'
import { ChannelName } from '../../ui/channel.tsx'
import { Id } from '../../ui/copy.tsx'
import { Card, Facts } from '../../ui/page.tsx'
import { Recipient } from '../../ui/recipient.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { sayFailureReason } from './words.ts'

export function LetterFacts({ letter, address }: { letter: DeadLetterDetail; address: string | undefined }) {
  const { source, target_id, trigger_id, script_id, notification_id, original_event_id, provider } = letter
  return (
    <>
      <Card title="Facts">
        <Facts
          facts={[
            ['To', letter.recipient_ref && <Recipient value={letter.recipient_ref} className="break-all" />],
            address !== undefined &&
              !letter.recipient_ref.endsWith(`:${address}`) && [
                'Address',
                <Id key="address" value={address} className="text-text" />,
              ],
            letter.channel !== null && ['Channel', <ChannelName key="channel" channel={letter.channel} />],
            letter.notification_type !== '' && [
              'Type',
              <TextLink key="type" to={addressOf('notification_type', letter.notification_type)}>
                {letter.notification_type}
              </TextLink>,
            ],
            provider !== '' && ['Provider', <ProviderLink key="provider" letter={letter} />],
            letter.template !== null && ['Template', <TemplateLink key="template" letter={letter} />],
            source !== '' && ['Work', source],
            letter.op !== '' && ['Event', letter.op],
            source === 'webhook' &&
              target_id !== null && [
                'Webhook',
                <TextLink key="webhook" to={addressOf('webhook', target_id)}>
                  Open the webhook
                </TextLink>,
              ],
            trigger_id !== null && [
              'Trigger',
              <TextLink key="trigger" to={addressOf('trigger', trigger_id)}>
                Open the trigger
              </TextLink>,
            ],
            script_id !== null && [
              'Script',
              <TextLink key="script" to={addressOf('script', script_id)}>
                Open the script
              </TextLink>,
            ],
            notification_id !== null && [
              'Notification',
              <TextLink key="record" to={addressOf('record', notification_id)} className="break-all">
                {notification_id}
              </TextLink>,
            ],
            original_event_id !== null && ['Delivery', <Id key="delivery" value={original_event_id} />],
          ]}
        />
      </Card>
      <Card title="Failure">
        <Facts
          facts={[
            ['Reason', sayFailureReason(letter.failure_reason)],
            [
              'Code',
              <span key="code" className="font-mono text-code">
                {letter.failure_reason} · {letter.failure_classification}
              </span>,
            ],
            ['Attempts', `${letter.final_attempt_count} of ${letter.max_attempts}`],
            ['First attempt', letter.first_attempt_at && <Time value={letter.first_attempt_at} />],
            ['Last attempt', letter.last_attempt_at && <Time value={letter.last_attempt_at} />],
            ['Given up', <Time key="given-up" value={letter.created_at} />],
            [
              'Like it',
              <TextLink
                key="like"
                to="/dead-letters"
                search={
                  {
                    view: 'list',
                    failure_reason: letter.failure_reason,
                    ...(letter.channel && { channel: letter.channel }),
                    ...(provider && { provider }),
                  } as never
                }
              >
                Others of this cause
              </TextLink>,
            ],
          ]}
        />
      </Card>
    </>
  )
}

type Named = Pick<DeadLetterDetail, 'provider' | 'template' | 'channel'>

function ProviderLink({ letter: { provider, channel } }: { letter: Named }) {
  const { data } = useQuery({
    queryKey: ['providers', 'names'],
    queryFn: ({ signal }) => api.providers.list({ signal }),
    enabled: useMay('providers:read'),
    staleTime: 60_000,
  })
  const found = data?.data.find(each => each.name === provider && each.channel === channel)
  return found ? <TextLink to={addressOf('provider', found.id)}>{provider}</TextLink> : provider
}

/** A letter names the template but not its locale; any of its locales leads to the others. */
function TemplateLink({ letter: { template, channel } }: { letter: Named }) {
  const { data } = useQuery({
    queryKey: ['templates', 'of-letter', template, channel],
    queryFn: ({ signal }) =>
      api.templates.list({ name: template!, ...(channel && { channel }), limit: 1 }, { signal }),
    enabled: useMay('templates:read') && template !== null,
    staleTime: 60_000,
  })
  const found = data?.data[0]
  if (found === undefined) return <>{template}</>
  return (
    <TextLink to={addressOf('template', `${found.name}/${found.channel}/${found.locale}`)}>
      {template}
    </TextLink>
  )
}
