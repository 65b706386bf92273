/** Who reads the log of events, and what reading again or passing over means for each. */
import type { EventConsumerName } from '@carillon/contract'

interface ConsumerWords {
  title: string
  does: string
  /** What happens if events are read a second time. */
  again: string
  /** What happens if events are passed over. */
  passedOver: string
}

export const CONSUMERS: Record<EventConsumerName, ConsumerWords> = {
  notify_fanout: {
    title: 'Notifications',
    does: 'Decides by the rules who is told of an event.',
    again: 'What they have caused already stays as it is: nobody is told a second time.',
    passedOver: 'Nobody is told of them.',
  },
  webhooks: {
    title: 'Webhooks',
    does: 'Passes events on to webhooks for event.emitted.',
    again: 'Nothing is delivered a second time as long as the first delivery is kept.',
    passedOver: 'No webhook gets them.',
  },
  triggers: {
    title: 'Triggers',
    does: 'Runs scripts for events.',
    again: 'A script that succeeded does not run a second time as long as that run is kept.',
    passedOver: 'No script runs for them.',
  },
}

export const isConsumer = (name: string): name is EventConsumerName => name in CONSUMERS
