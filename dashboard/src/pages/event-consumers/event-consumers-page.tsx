/** How far each reader of the event log has come, and the streams that intents come from. */
import { useMay } from '../../app/session.tsx'
import { Page } from '../../ui/page.tsx'
import { ConsumersCard } from './consumers-card.tsx'
import { StreamsCard } from './streams-card.tsx'

export default function EventConsumersPage() {
  const mayReadStreams = useMay('streams:read')
  return (
    <Page
      title="Event consumers"
      lead="Events are written to a log, and read from it in order. Each consumer has its own place. At an event that fails it stays and tries again; after five times the event becomes a dead letter, and the consumer goes on."
    >
      <ConsumersCard />
      {mayReadStreams && <StreamsCard />}
    </Page>
  )
}
