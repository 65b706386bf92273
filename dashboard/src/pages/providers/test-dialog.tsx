/** A message right now, and what the service said to it. */
import type { Provider, TestAnswer } from '@carillon/contract'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Id } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Facts } from '../../ui/page.tsx'
import { Notice } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { sayDuration } from '../../ui/time.tsx'
import { useSave } from '../../ui/use-save.ts'
import { OUTCOMES, type ProviderChannel } from './provider-words.ts'

const ADDRESSES: Record<ProviderChannel, { label: string; placeholder: string; help?: string }> = {
  email: { label: 'Email address', placeholder: 'you@example.com' },
  sms: { label: 'Phone number', placeholder: '+4915112345678', help: 'With + and the country code.' },
  push: {
    label: 'User id',
    placeholder: 'ada',
    help: 'It goes to the devices that are registered for this person.',
  },
  chat: {
    label: 'Address',
    placeholder: '#general',
    help: 'A channel, a number, or one of the webhooks by name, as the service has it.',
  },
  webhook: { label: 'Address', placeholder: 'https://example.com/hook' },
}

interface TestDialogProps {
  provider: Provider
  isOpen: boolean
  onClose(): void
}

export function TestDialog({ provider, isOpen, onClose }: TestDialogProps) {
  const { id, name, channel } = provider
  const { account } = useSession()
  const [address, setAddress] = useState(channel === 'email' ? (account?.email ?? '') : '')
  const [answer, setAnswer] = useState<TestAnswer>()
  const saving = useSave(async () => {
    setAnswer(undefined)
    setAnswer(await api.providers.test(id, channel === 'push' ? { user_id: address } : { address }))
  }, ['address', 'user_id'])
  const { label, placeholder, help } = ADDRESSES[channel]
  const close = () => {
    setAnswer(undefined)
    saving.clear()
    onClose()
  }
  return (
    <Dialog title={`Send a test through ${name}`} isOpen={isOpen} onClose={close}>
      <form
        className="flex flex-col gap-4"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          void saving.save(undefined)
        }}
      >
        <p className="text-muted">
          A short message goes out now, without waiting in the queue. It counts against the rate limit, and is
          not kept in the records.
        </p>
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        <Field label={label} help={help} error={saving.errorOf(channel === 'push' ? 'user_id' : 'address')}>
          <div className="flex gap-2">
            <Input
              value={address}
              placeholder={placeholder}
              onChange={event => setAddress(event.target.value)}
            />
            <Button type="submit" kind="primary" isBusy={saving.isBusy}>
              {saving.isBusy ? 'Sending' : 'Send'}
            </Button>
          </div>
        </Field>
      </form>
      {answer && <Answer answer={answer} />}
    </Dialog>
  )
}

function Answer({ answer }: { answer: TestAnswer }) {
  return (
    <div role="status" className="mt-4 border-t border-border pt-4">
      <Facts
        facts={[
          ['Outcome', <Status key="outcome" status={answer.outcome} label={OUTCOMES[answer.outcome]} />],
          ['Answer', answer.message],
          answer.provider_message_id !== '' && [
            'Id there',
            <Id key="id" value={answer.provider_message_id} />,
          ],
          ['Took', sayDuration(answer.duration_ms)],
        ]}
      />
    </div>
  )
}
