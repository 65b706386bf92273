/** A mailbox of everything that was captured instead of sent. */
import { MailOpen } from 'lucide-react'
import { LinkButton } from '../../ui/button.tsx'
import { CHANNEL_OPTIONS } from '../../ui/channel.tsx'
import { classes } from '../../ui/classes.ts'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { MessageList } from './message-list.tsx'
import { MessagePane } from './message-pane.tsx'
import { useCaptured } from './use-captured.ts'

const LEAD =
  'Messages of channels without a provider. Nothing left this machine; each is shown as its reader would see it.'

export default function CapturedPage() {
  const { filters, list, rows, chosen, isChosen, isGone, choose } = useCaptured()
  if (list.error && list.rows === undefined)
    return (
      <Page title="Captured messages" lead={LEAD}>
        <Card>
          <Problem error={list.error} onRetry={list.retry} />
        </Card>
      </Page>
    )
  if (list.rows?.length === 0 && !filters.isAny && !isChosen) return <NothingCaptured />
  // Where there is room for both, the newest is shown until one is chosen.
  const shown = isChosen ? chosen : rows?.[0]
  return (
    <Page title="Captured messages" lead={LEAD}>
      <Card isFlush>
        <div className={classes(isChosen && 'max-md:hidden')}>
          <FilterBar
            filters={filters}
            search={{ name: 'q', placeholder: 'Search in what is loaded' }}
            choices={[
              {
                name: 'channel',
                label: 'Channel',
                options: CHANNEL_OPTIONS.filter(({ value }) => value !== 'in_app'),
              },
              { name: 'notification_id', label: 'Notification' },
            ]}
          />
        </div>
        <div className="md:grid md:h-[max(28rem,calc(100dvh-12.5rem))] md:grid-cols-[15rem_minmax(0,1fr)] lg:grid-cols-[21rem_minmax(0,1fr)]">
          <div
            className={classes(
              'min-w-0 border-border md:overflow-y-auto md:border-r',
              isChosen && 'max-md:hidden',
            )}
          >
            <MessageList list={list} rows={rows} shownId={shown?.message_id} onChoose={choose} />
            {rows?.length === 0 && (
              <Empty title="Nothing matches" text="Nothing of what is loaded fits these filters." />
            )}
          </div>
          <div className={classes('min-w-0 md:overflow-y-auto', !isChosen && 'max-md:hidden')}>
            {shown ? (
              <MessagePane message={shown} onBack={() => choose(undefined)} />
            ) : isGone ? (
              <Empty title="This message is gone" text="Captured messages are kept for a limited time." />
            ) : isChosen || rows === undefined ? (
              <div role="status" aria-label="Loading" className="p-4">
                <Skeleton className="h-64 w-full" />
              </div>
            ) : null}
          </div>
        </div>
      </Card>
    </Page>
  )
}

function NothingCaptured() {
  return (
    <Page title="Captured messages" lead={LEAD}>
      <Card>
        <Empty
          icon={MailOpen}
          title="Nothing was captured"
          text="A channel without a provider captures its messages: nothing leaves this machine, and each mail, text message and push can be read here as its reader would see it."
          action={
            <LinkButton to="/send" kind="primary">
              Send a test
            </LinkButton>
          }
        />
      </Card>
    </Page>
  )
}
