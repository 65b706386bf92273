/** Where the person's push messages go. */
import type { Device } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Smartphone, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Id } from '../../ui/copy.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Hint } from '../../ui/hint.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { onePage, useRows } from '../../ui/use-rows.ts'

const KINDS: Record<Device['kind'], string> = {
  fcm: 'Firebase',
  apns: 'Apple',
  expo: 'Expo',
  web_push: 'Web push',
}

const STATES: Record<Device['state'], { status: string; label: string; why: string }> = {
  active: { status: 'active', label: 'active', why: 'Push messages go there.' },
  quarantined: {
    status: 'paused',
    label: 'refused',
    why: 'Its service refused it. It is tried again after a day, or when the provider’s settings change.',
  },
  gone: {
    status: 'expired',
    label: 'gone',
    why: 'It does not exist any more and is deleted after 30 days, unless it is registered again.',
  },
}

const nameOf = ({ label, kind }: Device): string => label || `${KINDS[kind]} device`

export function DevicesTab({ userId }: { userId: string }) {
  const queryClient = useQueryClient()
  const mayWrite = useMay('users:write')
  const [leaving, setLeaving] = useState<Device>()
  const list = useRows(['devices', userId], async (_, options) =>
    onePage(await api.devices.list(userId, options)),
  )
  const columns: Column<Device>[] = [
    { title: 'Device', cell: device => <bdi className="font-medium">{nameOf(device)}</bdi>, csv: nameOf },
    { title: 'Service', width: 'w-28', from: 'md', cell: ({ kind }) => KINDS[kind], csv: ({ kind }) => kind },
    {
      title: 'State',
      width: 'w-28',
      cell: ({ state }) => (
        <Hint text={STATES[state].why}>
          <span>
            <Status status={STATES[state].status} label={STATES[state].label} />
          </span>
        </Hint>
      ),
      csv: ({ state }) => state,
    },
    { title: 'Id', from: 'lg', cell: ({ id }) => <Id value={id} />, csv: ({ id }) => id },
    {
      title: 'Registered',
      width: 'w-28',
      from: 'md',
      cell: ({ updated_at }) => <Time value={updated_at} />,
      csv: ({ updated_at }) => updated_at,
    },
    {
      title: '',
      width: 'w-12',
      cell: device => (
        <IconButton
          label={mayWrite ? `Delete ${nameOf(device)}` : 'You need users:write to delete it: ask an owner.'}
          disabled={!mayWrite}
          className="size-7"
          onClick={() => setLeaving(device)}
        >
          <Trash2 size={14} />
        </IconButton>
      ),
    },
  ]
  return (
    <>
      <ListCard
        label="Devices"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          <Empty
            icon={Smartphone}
            title="No devices"
            text="Your app registers a device when somebody signs in on it; push messages of this person are skipped until then."
            command={`curl -X POST ${location.origin}/v1/users/${encodeURIComponent(userId)}/devices \\
  -H "authorization: Bearer $CARILLON_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{"kind": "fcm", "token": "…", "label": "Pixel 9"}'`}
          />
        }
      />
      <Confirm
        title={`Delete ${leaving ? nameOf(leaving) : 'the device'}?`}
        action="Delete"
        isOpen={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        onConfirm={async () => {
          await api.devices.delete(userId, leaving!.id)
          toast(`${nameOf(leaving!)} was deleted.`)
          await queryClient.invalidateQueries({ queryKey: ['devices', userId] })
        }}
      >
        No push messages go to it any more. The app may register it again.
      </Confirm>
    </>
  )
}
