/** Quiet hours, caps and a pause of one channel. */
import type { Channel, ChannelPreference, QuietWindow, User } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { CHANNEL_NAMES } from '../../ui/channel.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input, Switch } from '../../ui/field.tsx'
import { localTime, timeOf } from '../../ui/local-time.ts'
import { Notice } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSave } from '../../ui/use-save.ts'
import { CapsInput } from './caps-input.tsx'
import { nameOf } from './name.ts'
import { QuietHoursInput } from './quiet-hours-input.tsx'

interface ChannelDialogProps {
  user: User
  channel: Channel
  own: ChannelPreference | undefined
  onClose(): void
}

export function ChannelDialog({ user, channel, own, onClose }: ChannelDialogProps) {
  const form = useId()
  const queryClient = useQueryClient()
  const [quiet, setQuiet] = useState<QuietWindow[] | null>(own?.quiet_hours ?? null)
  const [caps, setCaps] = useState<ChannelPreference['caps']>(own?.caps ?? null)
  const [daily, setDaily] = useState(own?.frequency_cap?.toString() ?? '')
  const storedPause = own?.paused_until ? localTime(new Date(own.paused_until)) : ''
  const [paused, setPaused] = useState(storedPause)
  const at = `channels.${channel}`
  const saving = useSave(async () => {
    const saved = await api.preferences.update(user.id, {
      channels: {
        [channel]: {
          quiet_hours: quiet,
          caps,
          frequency_cap: daily === '' ? null : Number(daily),
          // The field has no seconds; what was not changed in it keeps them.
          ...(paused !== storedPause && { paused_until: paused === '' ? null : timeOf(paused) }),
        },
      },
    })
    queryClient.setQueryData(['preferences', user.id], saved)
  }, [`${at}.frequency_cap`, `${at}.paused_until`])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!(await saving.save(undefined))) return
    toast('Saved.')
    onClose()
  }
  return (
    <Dialog
      title={`${CHANNEL_NAMES[channel]} for ${nameOf(user)}`}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} kind="primary" isBusy={saving.isBusy}>
            Save
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-5">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        <Own
          label="Quiet hours of their own"
          help="During these, messages wait until they are over."
          isOwn={quiet !== null}
          onChange={isOwn => setQuiet(isOwn ? [{ start: '22:00', end: '08:00' }] : null)}
        >
          <QuietHoursInput windows={quiet ?? []} onChange={setQuiet} />
        </Own>
        <Field
          label="Messages a day"
          isOptional
          error={saving.errorOf(`${at}.frequency_cap`)}
          help="What comes after is skipped. Empty leaves it to the default; 0 allows none."
        >
          <Input
            type="number"
            min={0}
            max={1_000_000}
            value={daily}
            className="max-w-32"
            onChange={event => setDaily(event.target.value)}
          />
        </Field>
        <Own
          label="Further caps of their own"
          help="Per hour, day or week; all of them apply."
          isOwn={caps !== null}
          onChange={isOwn => setCaps(isOwn ? [{ per: 'hour', max: 5, over: 'skip' }] : null)}
        >
          <CapsInput caps={caps ?? []} onChange={setCaps} />
        </Own>
        <Field
          label="Paused until"
          isOptional
          error={saving.errorOf(`${at}.paused_until`)}
          help="In your time zone. Until then, messages on this channel wait."
        >
          <Input
            type="datetime-local"
            value={paused}
            className="max-w-60"
            onChange={event => setPaused(event.target.value)}
          />
        </Field>
      </form>
    </Dialog>
  )
}

interface OwnProps {
  label: string
  help: string
  isOwn: boolean
  onChange(isOwn: boolean): void
  children: ReactNode
}

/** Off leaves it to the tenant's defaults. */
function Own({ label, help, isOwn, onChange, children }: OwnProps) {
  return (
    <div className="flex flex-col gap-2">
      <div>
        <Switch label={label} isOn={isOwn} onChange={onChange} showsLabel />
        <p className="mt-1 text-sm text-muted">{isOwn ? help : 'The tenant’s default holds.'}</p>
      </div>
      {isOwn && children}
    </div>
  )
}
