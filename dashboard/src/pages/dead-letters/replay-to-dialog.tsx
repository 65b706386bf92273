/** The same message to a corrected address. */
import type { DeadLetter } from '@carillon/contract'
import { type FormEvent, useId, useState } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { CHANNEL_NAMES } from '../../ui/channel.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Notice } from '../../ui/problem.tsx'
import { useSave } from '../../ui/use-save.ts'

const EXAMPLES: Record<string, string> = {
  email: 'ada@example.com',
  sms: '+4915112345678',
  chat: 'C024BE91L',
  webhook: 'https://example.com/hook',
}

interface ReplayToDialogProps {
  letter: DeadLetter
  /** The address it went to, if it is known. */
  address: string | undefined
  onClose(): void
  onReplayed(): void
}

export function ReplayToDialog({ letter, address, onClose, onReplayed }: ReplayToDialogProps) {
  const form = useId()
  const [text, setText] = useState(address ?? '')
  const saving = useSave((to: string) => api.deadLetters.replay(letter.id, { address: to }), ['address'])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await saving.save(text.trim())) onReplayed()
  }
  const channel = letter.channel === null ? 'Message' : CHANNEL_NAMES[letter.channel]
  return (
    <Dialog
      title="Replay to another address"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            kind="primary"
            isBusy={saving.isBusy}
            disabled={text.trim() === '' || text.trim() === address}
          >
            Replay
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-3">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        <Field
          label={`${channel} address`}
          error={saving.errorOf('address')}
          help="Only this message goes there. The person’s own address stays as it is; change it on their page."
        >
          <Input
            value={text}
            autoFocus
            autoComplete="off"
            spellCheck={false}
            placeholder={EXAMPLES[letter.channel ?? '']}
            onChange={event => setText(event.target.value)}
          />
        </Field>
      </form>
    </Dialog>
  )
}
