import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Message } from '../../content/messages/message.ts'
import type { Outcome } from '../../providers/services/provider.ts'

const carillon = useCarillon()

it('many listeners on the signal that all attempts share cause no warning', async () => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  const provider = {
    name: 'listening',
    async send(_message: Message, signal: AbortSignal): Promise<Outcome> {
      for (let n = 0; n < 20; n++) signal.addEventListener('abort', () => {}, { once: true })
      return { kind: 'sent' }
    },
    close: async () => {},
  }
  const id = await carillon.send()
  const worker = carillon.deliver(provider)
  await carillon.settled(id, 'sent')
  await worker.stop()
  process.off('warning', note)
  expect(warnings).toEqual([])
})
