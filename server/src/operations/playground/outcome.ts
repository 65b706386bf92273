/** What became of something that the playground sent: the explanations of the API, and the messages that were captured. */
import type {
  CapturedMessage,
  Decision,
  DomainEvent,
  EventExplanation,
  Explanation,
  PlaygroundMessage,
  PlaygroundOutcome,
  RecordDetail,
} from '@carillon/contract'
import { notFound } from '../../platform/calls/refusal.ts'
import { isOfCast, PRODUCER } from './cast.ts'
import type { OwnCalls } from './own-calls.ts'

/** The address under which the HTML of a mail is shown. */
export type FrameOf = (message: CapturedMessage) => string

type Person = PlaygroundOutcome['people'][number]

export async function outcomeOfEvent(
  calls: OwnCalls,
  id: string,
  frameOf: FrameOf,
): Promise<PlaygroundOutcome> {
  const { producer } = await calls.get<DomainEvent>(`/v1/events/${id}`)
  if (producer !== PRODUCER) throw notFound(`event ${id} of the playground`)
  const explanation = await calls.get<EventExplanation>(`/v1/events/${id}/explain?limit=10`)
  const told = await Promise.all(
    explanation.notification_ids.map(record => outcomeOf(calls, record, frameOf)),
  )
  const isOver = explanation.status === 'done' || explanation.status === 'dead_letter'
  return {
    is_settled: isOver && told.every(({ is_settled }) => is_settled),
    summary: explanation.summary,
    decisions: explanation.decisions.filter(({ decision }) => decision !== 'computed'),
    people: explanation.people.map(({ user_id, text }) => ({
      user_id,
      text,
      routes: told
        .flatMap(({ people }) => people.filter(person => person.user_id === user_id))
        .flatMap(routesOf),
    })),
    messages: told.flatMap(({ messages }) => messages),
  }
}

export async function outcomeOfIntent(
  calls: OwnCalls,
  id: string,
  frameOf: FrameOf,
): Promise<PlaygroundOutcome> {
  const { producer } = await calls.get<RecordDetail>(`/v1/records/${id}`)
  if (producer !== PRODUCER) throw notFound(`record ${id} of the playground`)
  return outcomeOf(calls, id, frameOf)
}

async function outcomeOf(calls: OwnCalls, id: string, frameOf: FrameOf): Promise<PlaygroundOutcome> {
  const record = await calls.get<RecordDetail>(`/v1/records/${id}`)
  const { summary, decisions, people } = await calls.get<Explanation>(`/v1/records/${id}/explain?limit=100`)
  const captured = await messagesOf(calls, id)
  const persons = people.map(({ recipient_ref, routes }) => ({
    user_id: userOf(recipient_ref),
    text: '',
    routes: routes.map(({ channel, status, summary, decisions }) => ({
      channel,
      status,
      summary,
      decisions,
    })),
  }))
  return {
    is_settled: record.expanded_at !== null && persons.flatMap(routesOf).every(isOver),
    summary,
    decisions,
    people: persons,
    messages: captured.map(message => toMessage(message, frameOf)),
  }
}

export async function findCaptured(
  calls: OwnCalls,
  notificationId: string,
  messageId: string,
): Promise<CapturedMessage> {
  const found = (await messagesOf(calls, notificationId)).find(({ message_id }) => message_id === messageId)
  if (found === undefined) throw notFound('captured mail')
  return found
}

async function messagesOf(calls: OwnCalls, notificationId: string): Promise<CapturedMessage[]> {
  const path = `/v1/captured-messages?notification_id=${notificationId}&limit=100`
  const { data } = await calls.get<{ data: CapturedMessage[] }>(path)
  return data.filter(({ recipient_ref }) => isOfCast(userOf(recipient_ref)))
}

function toMessage(message: CapturedMessage, frameOf: FrameOf): PlaygroundMessage {
  const { message_id, recipient_ref, channel, address, subject, text, html, captured_at } = message
  return {
    id: message_id,
    user_id: userOf(recipient_ref),
    ...{ channel, address, subject, text },
    frame: html === null ? null : frameOf(message),
    at: captured_at,
  }
}

const userOf = (recipientRef: string): string => recipientRef.replace(/^user:/, '')
const routesOf = ({ routes }: Person) => routes

/** Whatever waits for hours, for the morning or for a digest, is not worth waiting for. */
function isOver({ status, decisions }: Person['routes'][number]): boolean {
  return !['pending', 'retrying'].includes(status) || decisions.some(isPostponed)
}

const isPostponed = ({ decision }: Decision) => decision === 'postponed'
