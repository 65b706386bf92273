/** An address that is to get nothing more. */
import type { Suppression } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { CHANNEL_OPTIONS } from '../../ui/channel.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { Notice } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSave } from '../../ui/use-save.ts'

type Given = Pick<Suppression, 'channel' | 'address'>

const EXAMPLES: Record<Suppression['channel'], string> = {
  email: 'ada@example.com',
  sms: '+4915112345678',
  push: 'The token of a device',
  chat: 'C024BE91L',
  webhook: 'https://example.com/hook',
}

export function SuppressDialog({ given, onClose }: { given?: Given; onClose(): void }) {
  const form = useId()
  const queryClient = useQueryClient()
  const [channel, setChannel] = useState<Suppression['channel']>(given?.channel ?? 'email')
  const [address, setAddress] = useState(given?.address ?? '')
  const [detail, setDetail] = useState('')
  const saving = useSave(
    () => api.suppressions.add({ channel, address: address.trim(), detail: detail.trim() }),
    ['channel', 'address', 'detail'],
  )
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!(await saving.save(undefined))) return
    void queryClient.invalidateQueries({ queryKey: ['suppressions'] })
    toast(`${address.trim()} gets nothing more.`)
    onClose()
  }
  return (
    <Dialog
      title="Suppress an address"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} kind="primary" isBusy={saving.isBusy}>
            Suppress
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        <Field label="Channel" error={saving.errorOf('channel')}>
          <Select
            value={channel}
            disabled={given !== undefined}
            onChange={event => setChannel(event.target.value as Suppression['channel'])}
          >
            {CHANNEL_OPTIONS.filter(({ value }) => value !== 'in_app').map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="Address" error={saving.errorOf('address')}>
          <Input
            value={address}
            required
            autoComplete="off"
            spellCheck={false}
            readOnly={given !== undefined}
            placeholder={EXAMPLES[channel]}
            onChange={event => setAddress(event.target.value)}
          />
        </Field>
        <Field
          label="Why"
          isOptional
          error={saving.errorOf('detail')}
          help="For whoever wonders later why nothing arrives."
        >
          <Input value={detail} onChange={event => setDetail(event.target.value)} />
        </Field>
      </form>
    </Dialog>
  )
}
