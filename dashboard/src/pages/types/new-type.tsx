import type { Channel } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { api, isProblem } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { CHANNEL_NAMES, CHANNELS } from '../../ui/channel.tsx'
import { CheckRow } from '../../ui/check-row.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Notice } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSave } from '../../ui/use-save.ts'
import { typePath } from './types-page.tsx'

export function NewType({ onClose }: { onClose(): void }) {
  const formId = useId()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [channels, setChannels] = useState<Channel[]>(['in_app', 'email'])
  const saving = useSave(async () => {
    if (await exists(name.trim())) return toast(`${name.trim()} exists already: here it is.`)
    await api.notificationTypes.put(name.trim(), { description, channels })
    await queryClient.invalidateQueries({ queryKey: ['notification-types'] })
    toast(`${name.trim()} is in the catalog.`)
  }, ['name', 'description', 'channels'])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await saving.save(undefined)) void navigate({ to: typePath(name.trim()) })
  }
  return (
    <Dialog
      title="Create a type"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} isBusy={saving.isBusy}>
            Create
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        <Field
          label="Name"
          error={saving.errorOf('name')}
          help="As producers write it, such as order_shipped. It cannot be changed later."
        >
          <Input
            required
            autoFocus
            maxLength={100}
            autoComplete="off"
            value={name}
            onChange={event => setName(event.target.value)}
          />
        </Field>
        <Field label="Description" isOptional error={saving.errorOf('description')}>
          <Input
            maxLength={1000}
            value={description}
            onChange={event => setDescription(event.target.value)}
          />
        </Field>
        <Field
          label="Channels"
          error={saving.errorOf('channels')}
          help="Everything else can be set afterwards."
        >
          <CheckRow
            label="Channels"
            value={channels}
            options={CHANNELS}
            labels={CHANNEL_NAMES}
            onChange={setChannels}
          />
        </Field>
      </form>
    </Dialog>
  )
}

async function exists(name: string): Promise<boolean> {
  try {
    await api.notificationTypes.get(name)
    return true
  } catch (error) {
    if (isProblem(error, 404)) return false
    throw error
  }
}
