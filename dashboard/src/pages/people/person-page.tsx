/** One person: who they are, what they want, and everything that was ever sent to them. */
import type { User } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { AuditTrail } from '../../ui/audit-trail.tsx'
import { Button } from '../../ui/button.tsx'
import { Id } from '../../ui/copy.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Card, Columns, Facts, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { PageSkeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { DevicesTab } from './devices-tab.tsx'
import { EmailLogTab } from './email-log-tab.tsx'
import { InboxTab } from './inbox-tab.tsx'
import { LocalTime } from './local-time.tsx'
import { nameOf } from './name.ts'
import { PersonDialog } from './person-dialog.tsx'
import { PersonMenu } from './person-menu.tsx'
import { PreferencesTab } from './preferences-tab.tsx'
import { SentTab } from './sent-tab.tsx'
import { SubscriptionsTab } from './subscriptions-tab.tsx'
import { SuppressionTab } from './suppression-tab.tsx'

export default function PersonPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const { data, error, refetch } = useQuery({
    queryKey: ['people', 'one', id],
    queryFn: ({ signal }) => api.users.get(id, { signal }),
  })
  if (data !== undefined) return <Person key={data.id} user={data} />
  if (error === null) return <PageSkeleton />
  return (
    <Page title={id}>
      <Card>
        <Problem error={error} onRetry={() => void refetch()} />
      </Card>
    </Page>
  )
}

function Person({ user }: { user: User }) {
  const [isEditing, setEditing] = useState(false)
  const mayWrite = useMay('users:write')
  const { id } = user
  return (
    <Page
      title={nameOf(user)}
      about={<Id value={id} />}
      actions={
        <>
          <Button
            refusal={!mayWrite && 'You need users:write to change people: ask an owner.'}
            onClick={() => setEditing(true)}
          >
            Edit
          </Button>
          <PersonMenu user={user} />
        </>
      }
    >
      <Columns
        main={
          <Tabs
            label="About the person"
            tabs={[
              { value: 'sent', title: 'Everything sent', content: <SentTab userId={id} /> },
              { value: 'inbox', title: 'Inbox', content: <InboxTab userId={id} /> },
              { value: 'preferences', title: 'Preferences', content: <PreferencesTab user={user} /> },
              { value: 'devices', title: 'Devices', content: <DevicesTab userId={id} /> },
              { value: 'subscriptions', title: 'Subscriptions', content: <SubscriptionsTab userId={id} /> },
              { value: 'suppression', title: 'Suppression', content: <SuppressionTab user={user} /> },
              { value: 'emails', title: 'Email log', content: <EmailLogTab userId={id} /> },
              { value: 'audit', title: 'Audit log', content: <PersonAudit userId={id} /> },
              { value: 'json', title: 'JSON', content: <JsonView value={user} /> },
            ]}
          />
        }
        aside={<Profile user={user} />}
      />
      {isEditing && <PersonDialog user={user} onClose={() => setEditing(false)} />}
    </Page>
  )
}

/** What was done to the person; what they did themselves is in the log of everybody. */
function PersonAudit({ userId }: { userId: string }) {
  return (
    <>
      <AuditTrail type="user" id={userId} />
      <p>
        <TextLink to="/audit-log" search={{ user_id: userId } as never}>
          What this person changed
        </TextLink>
      </p>
    </>
  )
}

function Profile({ user }: { user: User }) {
  const { email, username, phone, chat_address, locale, timezone } = user
  const missing = [!email && 'email', !phone && 'phone', !chat_address && 'chat address'].filter(Boolean)
  return (
    <Card title="Profile">
      <Facts
        facts={[
          ['Username', username && <bdi>{username}</bdi>],
          ['Email', email && <Id value={email} className="text-text" />],
          ['Phone', phone && <Id value={phone} className="text-text" />],
          ['Chat', chat_address && <Id value={chat_address} className="text-text" />],
          ['Locale', locale || <span className="text-muted">the tenant’s</span>],
          ['Time zone', <LocalTime key="zone" zone={timezone} />],
          ['Created', <Time key="created" value={user.created_at} />],
          ['Changed', <Time key="changed" value={user.updated_at} />],
        ]}
      />
      {missing.length > 0 && (
        <p className="mt-3 border-t border-border pt-3 text-sm text-muted">
          No {missing.join(', no ')}: messages there are skipped.
        </p>
      )}
    </Card>
  )
}
