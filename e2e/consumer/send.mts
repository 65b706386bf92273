/**
 * An application that uses the packed packages, compiled and run by tarballs.prove.ts as an ES module and as CommonJS:
 * sends a notification to the Carillon that its environment names and prints the answer.
 */
import { ERRORS } from '@carillon/contract'
import {
  type Accepted,
  CarillonError,
  type Client,
  createClient,
  type IntentInput,
  verifyWebhook,
} from '@carillon/sdk'

const intent: IntentInput = {
  notification_type: 'welcome',
  audience: { kind: 'addresses', channel: 'email', addresses: ['ada@example.com'] },
  payload: { title: 'Hello Ada' },
}

async function main(): Promise<void> {
  const carillon: Client = createClient()
  const { notification_id }: Accepted = await carillon.intents.send(intent)
  const record = await carillon.records.get(notification_id)
  const refused = await carillon.records.get('00000000-0000-7000-8000-000000000000').catch(codeOf)
  const unsigned = await verifyWebhook({}, '', 'whsec_AAAA').catch((error: Error) => error.message)
  console.log(JSON.stringify({ type: record.notification_type, refused, unsigned }))
}

function codeOf(error: unknown): string {
  if (error instanceof CarillonError && error.code in ERRORS) return error.code
  throw error
}

// Never called. Types that cannot be resolved become `any`, and then nothing here would be an error.
export async function mistakes(carillon: Client): Promise<void> {
  // @ts-expect-error There is no such audience.
  await carillon.intents.send({ ...intent, audience: { kind: 'everybody' } })
  const record = await carillon.records.get('')
  // @ts-expect-error It is text.
  record.notification_type satisfies number
  // @ts-expect-error There is no such code.
  new CarillonError({} as never).code satisfies 'unknown_code'
  // @ts-expect-error There is no such method.
  carillon.records.remove
}

void main()
